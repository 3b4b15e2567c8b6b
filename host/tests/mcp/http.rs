//! Servers at an address of this machine.

use std::collections::BTreeMap;

use cepa::error::ErrorKind;
use cepa::tool::mcp::{McpConfig, McpLifecycle, McpServer, McpTransport};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::fake::{Handshake, Reaction, react};
use crate::support::call;

/// Serves until the test ends, and gives its address. Only requests with the key are answered; a legacy server answers
/// with JSON, a modern one with a stream of events.
async fn serve(handshake: Handshake) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_all(handshake, stream));
        }
    });
    url
}

async fn answer_all(handshake: Handshake, stream: TcpStream) {
    let mut stream = BufReader::new(stream);
    while let Some((head, body)) = read_request(&mut stream).await {
        let (status, body) = if !head.contains("x-key: sesame") {
            ("401 Unauthorized", None)
        } else if !head.starts_with("post ") {
            ("405 Method Not Allowed", None)
        } else {
            let message: Value = serde_json::from_slice(&body).unwrap();
            match react(handshake, &message) {
                Reaction::Answer(mut answer) => {
                    answer["id"] = message["id"].clone();
                    ("200 OK", Some(answer.to_string()))
                }
                Reaction::Silence => ("202 Accepted", None),
                Reaction::Exit => return,
            }
        };
        let mut body = body.unwrap_or_default();
        let mut media_type = "application/json";
        if handshake == Handshake::Modern && !body.is_empty() {
            body = format!("data: {body}\n\n");
            media_type = "text/event-stream";
        }
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\nmcp-session-id: 1\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        if stream.write_all(format!("{head}{body}").as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The head of a request in lower case, and its body; nothing at the end of the connection.
pub(crate) async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some((head, body))
}

pub(crate) fn config(url: String, key: &str) -> McpConfig {
    let headers = BTreeMap::from([("x-key".to_owned(), key.to_owned())]);
    McpConfig::new("far", McpTransport::Http { url, headers })
}

#[tokio::test]
async fn an_address_serves_its_tools_in_both_lifecycles() {
    for (handshake, lifecycle) in [
        (Handshake::Legacy, McpLifecycle::Auto),
        (Handshake::Legacy, McpLifecycle::Initialize),
        (Handshake::Modern, McpLifecycle::Auto),
        (Handshake::Modern, McpLifecycle::Discover),
    ] {
        let asked = McpConfig { lifecycle, ..config(serve(handshake).await, "sesame") };
        let server = McpServer::connect(asked).await.unwrap();
        assert_eq!(server.tools().len(), 10);
        assert_eq!(call(&server, "echo", json!({ "a": 1 })).await.unwrap().text(), r#"{"a":1}"#);
    }
}

#[tokio::test]
async fn a_call_that_is_cut_or_too_large_is_an_error_and_the_next_one_works() {
    for (handshake, limit) in [
        (Handshake::Legacy, "answered with more than 8388608 bytes"),
        (Handshake::Modern, "sent a message of more than 8388608 bytes"),
    ] {
        let server = McpServer::connect(config(serve(handshake).await, "sesame")).await.unwrap();
        let error = call(&server, "exit", json!({})).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Connection, "{error}");
        let expected = "MCP server `far` broke off the connection; whether `exit` was carried out is unknown";
        assert_eq!(error.message, expected);
        let error = call(&server, "huge", json!({})).await.unwrap_err();
        assert!(error.message.contains(limit), "{error}");
        assert_eq!(call(&server, "echo", json!({})).await.unwrap().text(), "{}");
    }
}

#[tokio::test]
async fn a_wrong_key_a_dead_address_and_no_address_are_explained_and_keys_not_shown() {
    let wrong = config(serve(Handshake::Legacy).await, "guess");
    assert!(!format!("{wrong:?}").contains("guess"));
    let keyed = config("http://me:guess@127.0.0.1:9/mcp?key=guess".to_owned(), "guess");
    assert!(!format!("{keyed:?}").contains("guess"));
    let error = McpServer::connect(wrong).await.unwrap_err().to_string();
    assert!(error.contains("401") && !error.contains("guess"), "{error}");

    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error =
        McpServer::connect(config(format!("http://{closed}/mcp"), "sesame")).await.unwrap_err().to_string();
    assert!(error.starts_with("MCP server `far` did not get ready: "), "{error}");
    assert!(error.to_lowercase().contains("refused"), "{error}");

    let error = McpServer::connect(config("localhost".into(), "sesame")).await.unwrap_err().to_string();
    assert!(error.starts_with("MCP server `far`: its `url` is no address"), "{error}");
    let error = McpServer::connect(config("http://127.0.0.1/".into(), "a\nb")).await.unwrap_err().to_string();
    assert!(error.contains("the value of header `x-key`"), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_carries_no_key_away() {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let elsewhere = format!("http://{}/mcp", other.local_addr().unwrap());
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let answer = format!("HTTP/1.1 {status}\r\nlocation: {elsewhere}\r\ncontent-length: 0\r\n\r\n");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = BufReader::new(stream);
                while read_request(&mut stream).await.is_some() {
                    if stream.write_all(answer.as_bytes()).await.is_err() {
                        break;
                    }
                }
            }
        });
        let error = McpServer::connect(config(url, "sesame")).await.unwrap_err().to_string();
        assert!(error.starts_with("MCP server `far` did not get ready: "), "{error}");
        assert!(!error.contains("sesame"), "{error}");
    }
    let came = other.accept().unwrap_err().kind();
    assert_eq!(came, std::io::ErrorKind::WouldBlock, "nobody came to the other address");
}
