//! Servers at an address that tell when their tools have changed: in a stream that stays open.

use std::sync::Arc;

use cepa::tool::mcp::McpServer;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::changes::{has, names, names_with};
use crate::fake::{Handshake, Reaction, acknowledged, changed, react_with, tells};
use crate::http::{config, read_request};
use crate::support::call;

/// A server that has grown once a call of `echo` says so. Serves until the test ends, and gives its address.
async fn serve(handshake: Handshake) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let grown = Arc::new(watch::Sender::new(false));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_all(handshake, BufReader::new(stream), Arc::clone(&grown)));
        }
    });
    url
}

async fn answer_all(handshake: Handshake, mut stream: BufReader<TcpStream>, grown: Arc<watch::Sender<bool>>) {
    while let Some((head, body)) = read_request(&mut stream).await {
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let listens = match handshake {
            Handshake::Legacy => head.starts_with("get "),
            Handshake::Modern => message["method"] == "subscriptions/listen",
        };
        if listens {
            tell(&message["id"], stream, grown.subscribe()).await;
            return;
        }
        if message["params"]["arguments"]["grow"] == true {
            grown.send_replace(true);
        }
        let has_grown = *grown.borrow();
        let response = match react_with(handshake, &message, has_grown, &tells()) {
            Reaction::Answer(mut answer) => {
                answer["id"] = message["id"].clone();
                let body = answer.to_string();
                let length = body.len();
                format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nmcp-session-id: 1\r\n\
                     content-length: {length}\r\n\r\n{body}"
                )
            }
            Reaction::Silence => "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned(),
            Reaction::Exit => return,
        };
        if stream.write_all(response.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Tells a listener of the change in a stream that ends when the client leaves. One of the older lifecycle listens
/// without a request, and so without an id.
async fn tell(listener: &Value, mut stream: BufReader<TcpStream>, mut grown: watch::Receiver<bool>) {
    let mut begin = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n".to_owned();
    if !listener.is_null() {
        begin += &event(&acknowledged(listener));
    }
    if stream.write_all(begin.as_bytes()).await.is_err() {
        return;
    }
    let is_grown = grown.wait_for(|grown| *grown).await.is_ok();
    if is_grown && stream.write_all(event(&changed(listener)).as_bytes()).await.is_ok() {
        // Nothing comes any more but the end.
        let _ = stream.read_u8().await;
    }
}

fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

#[tokio::test]
async fn a_change_that_a_server_at_an_address_tells_is_read_in_both_lifecycles() {
    for handshake in [Handshake::Legacy, Handshake::Modern] {
        let server = McpServer::connect(config(serve(handshake).await, "sesame")).await.unwrap();
        let before = names(&server).await;
        assert!(has(&before, "media") && !has(&before, "late"), "{before:?}");
        call(&server, "echo", json!({ "grow": true })).await.unwrap();
        let now = names_with(&server, "late").await;
        assert!(!has(&now, "media"), "{now:?}");
        assert_eq!(call(&server, "late", json!({})).await.unwrap().text(), "{}");
    }
}
