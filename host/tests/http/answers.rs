//! Answers of servers that mean harm.

use std::time::Duration;

use cepa::http::Bounds;

use crate::lab::{Lab, Names, body, secret, small, told};
use crate::server::{Say, Server, Then};

const HEAD: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

async fn from(say: Say, bounds: Bounds) -> String {
    let server = Server::always(say).await;
    let lab = Lab::new(&[server.url("/")], &[], Names::default(), bounds);
    lab.get(&server.url("/")).await.replace(&server.port.to_string(), "PORT")
}

#[tokio::test]
async fn a_body_without_end_is_cut_off() {
    let endless = Say::raw(HEAD).then(Then::Flood(&[b'x'; 1_000]));
    assert!(from(endless, small()).await.starts_with("limit `http-response-body` reached: "));
    let chunks = Say::raw(CHUNKED).then(Then::Flood(b"4\r\nabcd\r\n"));
    assert!(from(chunks, small()).await.starts_with("limit `http-response-body` reached: "));
}

#[tokio::test]
async fn a_body_that_says_to_be_too_large_is_not_begun() {
    let claimed = Say::raw("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n").then(Then::Hang);
    assert_eq!(
        from(claimed, small()).await,
        "limit `http-response-body` reached: 99999999999 of 10000 allowed"
    );
}

#[tokio::test]
async fn a_body_that_is_large_enough_is_read_whole() {
    let said = from(Say::body(&"x".repeat(10_000)), small()).await;
    assert_eq!(said.len(), 4 + 10_000);
    assert!(from(Say::body(&"x".repeat(10_001)), small()).await.starts_with("limit `http-response-body`"));
}

#[tokio::test]
async fn a_server_that_goes_silent_is_left() {
    let bounds =
        || Bounds { idle: Duration::from_millis(80), connect: Duration::from_millis(200), ..small() };
    let silent = Say::raw("").then(Then::Hang);
    assert_eq!(
        from(silent, bounds()).await,
        "http://localhost:PORT sent nothing in time: limit `http-idle` of 80ms passed"
    );
    let stalled = Say::raw("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc").then(Then::Hang);
    assert_eq!(
        from(stalled, bounds()).await,
        "http://localhost:PORT sent nothing in time: limit `http-idle` of 80ms passed"
    );
}

#[tokio::test]
async fn a_server_that_drips_is_left() {
    let bounds = || Bounds { total: Duration::from_millis(150), ..small() };
    let late = "http://localhost:PORT was not done in time: limit `http-total` of 150ms passed";
    assert_eq!(from(Say::raw(HEAD).then(Then::Drip(b'x')), bounds()).await, late);
    assert_eq!(from(Say::raw("HTTP/1.1 200 OK\r\nx: ").then(Then::Drip(b'x')), bounds()).await, late);
    let early = b"HTTP/1.1 103 Early Hints\r\n\r\n";
    assert_eq!(from(Say::raw("").then(Then::Flood(early)), bounds()).await, late);
}

#[tokio::test]
async fn a_layer_may_wait_less_and_not_longer() {
    let server = Server::always(Say::raw(HEAD).then(Then::Drip(b'x'))).await;
    let bounds = Bounds { total: Duration::from_millis(300), ..small() };
    let lab = Lab::new(&[server.url("/")], &[], Names::default(), bounds);
    for (wanted, held) in [(100, "100ms"), (60_000, "300ms")] {
        let mut request = lab.client.request("GET", &server.url("/"), &lab.slots).expect("a request");
        request.set_timeout(Duration::from_millis(wanted));
        let said = told(lab.client.fetch(request).await).await;
        assert!(said.ends_with(&format!("limit `http-total` of {held} passed")), "{said}");
    }
}

#[tokio::test]
async fn what_is_compressed_is_not_unpacked() {
    // Ten million zeros, compressed: what the server sends counts, and the layer gets it as it is.
    let bomb = include_bytes!("zeros.gz");
    let server = Server::always(Say::whole(200, "content-encoding: gzip\r\n", bomb)).await;
    let lab = Lab::of(&[server.url("/")]);
    let mut answer = lab.send("GET", &server.url("/"), &[], b"").await.expect("an answer");
    assert_eq!(body(&mut answer).await.expect("a body"), bomb);
    assert!(answer.headers().contains(&("content-encoding".to_owned(), "gzip".to_owned())));
    assert!(server.received()[0].contains("accept-encoding: identity\r\n"));
}

#[tokio::test]
async fn what_can_not_be_looked_through_for_secrets_is_refused() {
    for (status, headers, what) in [
        (200, "content-encoding: gzip\r\n", "packed"),
        (200, "content-encoding: identity\r\ncontent-encoding: identity, BR\r\n", "packed"),
        (206, "content-range: bytes 3-5/9\r\n", "a part of the whole"),
        (200, "content-range: bytes 3-5/9\r\n", "a part of the whole"),
        (206, "content-type: multipart/byteranges; boundary=x\r\n", "a part of the whole"),
    ] {
        let server = Server::always(Say::whole(status, headers, b"abc")).await;
        let key = |server| [secret("key", "t0ken-abc", &[server])];
        let lab = |secrets: &[_]| Lab::new(&[server.url("/")], secrets, Names::default(), small());
        let said = lab(&key(format!("http://localhost:{}", server.port))).get(&server.url("/")).await;
        assert_eq!(
            said.replace(&server.port.to_string(), "PORT"),
            format!(
                "the answer of http://localhost:PORT is refused, since it is {what}: the secrets for this server could \
                 not be found in it"
            ),
            "{headers}"
        );
        // A server that no secret is for may answer so.
        let said = lab(&key("https://api.test".to_owned())).get(&server.url("/")).await;
        assert_eq!(said, format!("{status} abc"), "{headers}");
    }
    let packed = Say::raw("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    let server = Server::always(packed).await;
    let key = secret("key", "t0ken-abc", &[format!("http://localhost:{}", server.port)]);
    let said = Lab::new(&[server.url("/")], &[key], Names::default(), small()).get(&server.url("/")).await;
    assert!(said.contains("is refused, since it is packed"), "{said}");
}

#[tokio::test]
async fn headers_are_bounded() {
    let long = format!("x: {}\r\n", "y".repeat(4_000));
    assert_eq!(
        from(Say::whole(200, &long, b""), small()).await,
        "limit `http-response-header-bytes` reached: 4031 of 4000 allowed"
    );
    let unread = "http://localhost:PORT gave no answer that can be read: it is cut, is no HTTP, or has too many or too \
                  large headers";
    assert_eq!(from(Say::whole(200, &"x: y\r\n".repeat(200), b""), small()).await, unread);
    let endless = Say::raw("HTTP/1.1 200 OK\r\nx: ").then(Then::Flood(&[b'y'; 10_000]));
    assert_eq!(from(endless, small()).await, unread);
    let endless = Say::raw("HTTP/1.1 200 OK\r\n").then(Then::Flood(b"x: y\r\n"));
    assert_eq!(from(endless, small()).await, unread);
}

#[tokio::test]
async fn what_is_no_http_is_an_error_and_no_crash() {
    for garbage in [
        "",
        "\r\n\r\n",
        "SSH-2.0-x\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nx: y\r\n z\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nab",
        "HTTP/1.1 999999 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\na b: c\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
    ] {
        let said = from(Say::raw(garbage), small()).await;
        assert!(said.contains("gave no answer that can be read"), "{garbage:?}: {said}");
    }
    let cut = "http://localhost:PORT stopped in the middle of its answer: the connection was cut";
    assert_eq!(from(Say::raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc"), small()).await, cut);
    assert_eq!(from(Say::raw(format!("{CHUNKED}5\r\nabc")), small()).await, cut);
    assert_eq!(from(Say::raw(format!("{CHUNKED}zz\r\nabc")), small()).await, cut);
}

#[tokio::test]
async fn an_error_stays_an_error() {
    let server = Server::always(Say::raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc")).await;
    let lab = Lab::of(&[server.url("/")]);
    let mut answer = lab.send("GET", &server.url("/"), &[], b"").await.expect("an answer");
    assert_eq!(answer.read(2).await.expect("bytes"), b"ab");
    assert_eq!(answer.read(2).await.expect("bytes"), b"c");
    let first = answer.read(2).await.expect_err("it was cut");
    assert_eq!(answer.read(2).await.expect_err("it is cut"), first);
}
