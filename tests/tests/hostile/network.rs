//! A layer that takes all it can, and servers that give it no end.

use std::time::Duration;

use cepa::policy::{Grants, Limits};
use cepa_tests::guest;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::row::{Row, hold};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";

/// A server on loopback that answers a request with this, and then one byte again and again if there is one. It ends with its test.
async fn server(first: &'static [u8], again: Option<u8>) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port on loopback");
    let address = listener.local_addr().expect("a bound listener");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(say(stream, first, again));
        }
    });
    address.to_string()
}

/// Ends with an error once the layer has left.
async fn say(mut stream: TcpStream, first: &[u8], again: Option<u8>) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    stream.write_all(first).await?;
    loop {
        match again {
            Some(byte) => stream.write_all(&[byte]).await?,
            None => std::future::pending().await,
        }
        // The others of the test have their turn too.
        tokio::task::yield_now().await;
    }
}

/// The layer at this server, within these limits.
fn gorge(url: &str, bytes: usize, limits: impl FnOnce(&mut Limits)) -> Row {
    let grants = Grants { http: vec![format!("POST {url}").parse().expect("a rule")], ..Grants::default() };
    let config = json!({ "url": url, "bytes": bytes });
    Row::new(guest!("gorge")).config(config).grants(grants).limits(limits).works("Answer.")
}

#[tokio::test]
async fn sends_a_body_that_is_too_large() {
    let url = format!("http://{}", server(HEAD, None).await);
    let row = gorge(&url, 1_001, |limits| limits.http_request_body = 1_000);
    hold(row.says("limit `http-request-body` reached: 1001 of 1000 allowed")).await;
}

#[tokio::test]
async fn takes_a_body_without_end() {
    let url = format!("http://{}", server(HEAD, Some(b'x')).await);
    let row = gorge(&url, 1, |limits| limits.http_response_body = 1_000);
    hold(row.says("limit `http-response-body` reached: 1").says(" of 1000 allowed")).await;
}

#[tokio::test]
async fn waits_for_a_body_without_end() {
    let url = format!("http://{}", server(HEAD, Some(b'x')).await);
    let row = gorge(&url, 1, |limits| limits.http_total = Duration::from_millis(50));
    hold(row.says("was not done in time: limit `http-total` of 50ms passed")).await;
}

#[tokio::test]
async fn waits_for_a_server_that_says_no_more() {
    let url = format!("http://{}", server(HEAD, None).await);
    let row = gorge(&url, 1, |limits| limits.http_idle = Duration::from_millis(50));
    hold(row.says("sent nothing in time: limit `http-idle` of 50ms passed")).await;
}

#[tokio::test]
async fn waits_for_a_connection() {
    // It answers no greeting of TLS.
    let url = format!("https://{}", server(HEAD, None).await);
    let row = gorge(&url, 1, |limits| limits.http_connect = Duration::from_millis(50));
    hold(row.says("could not be reached in time: limit `http-connect` of 50ms passed")).await;
}
