//! What is sent, and what is not.

use std::time::Duration;

use cepa::http::Bounds;

use crate::lab::{Lab, Names, small, told};
use crate::server::{Say, Server};

async fn echo() -> Server {
    Server::start(Say::body).await
}

#[tokio::test]
async fn a_granted_request_is_sent_as_it_was_written_and_nothing_besides() {
    let server = echo().await;
    let lab = Lab::of(&[format!("GET,POST {}", server.url("/v1/"))]);
    let headers = [("X-One", "1"), ("accept", "text/plain"), ("x-one", "2"), ("user-agent", "mine")];
    let answer = lab.send("POST", &server.url("/v1/a?b=c#d"), &headers, b"body").await;
    let port = server.port.to_string();
    insta::assert_snapshot!(told(answer).await.replace(&port, "PORT").replace('\r', ""), @r"
    200 POST /v1/a?b=c HTTP/1.1
    x-one: 1
    x-one: 2
    accept: text/plain
    user-agent: mine
    accept-encoding: identity
    host: localhost:PORT
    content-length: 4

    body
    ");
}

#[tokio::test]
async fn what_is_not_granted_is_not_sent() {
    let (server, other) = (echo().await, echo().await);
    let lab = Lab::of(&[server.url("/v1/"), format!("POST http://127.0.0.2:{}", server.port)]);
    for (method, url) in [
        ("POST", server.url("/v1/a")),
        ("GET", server.url("/v2/a")),
        ("GET", server.url("/v1/../v2")),
        ("GET", server.url("/v1/..%2fv2")),
        ("GET", other.url("/v1/a")),
        ("GET", format!("http://127.0.0.1:{}/v1/a", server.port)),
        ("GET", format!("https://localhost:{}/v1/a", server.port)),
        ("GET", format!("http://localhost.:{}/v1/a", server.port)),
        ("GET", format!("http://127.0.0.2:{}/", server.port)),
    ] {
        let error = lab.send(method, &url, &[], b"").await.expect_err(&url);
        assert_eq!(error.denied().map(|(capability, _)| capability), Some("http"), "{method} {url}: {error}");
    }
    assert_eq!((server.connections(), other.connections(), lab.names.asked().len()), (0, 0, 0));
}

#[tokio::test]
async fn no_grant_is_no_request() {
    let server = echo().await;
    let said = Lab::of(&[]).get(&server.url("/a?key=1")).await;
    let port = server.port.to_string();
    assert_eq!(
        said.replace(&port, "PORT"),
        "the capability `http` is not granted for `GET http://localhost:PORT/a`"
    );
}

#[tokio::test]
async fn a_target_in_another_form_stays_a_path() {
    let server = echo().await;
    let lab = Lab::of(&[server.url("/")]);
    let said = lab.get(&server.url("/http://evil.test/")).await;
    assert!(said.starts_with("200 GET /http://evil.test/ HTTP/1.1\r\n"), "{said}");
    let said = lab.get(&server.url("//evil.test/")).await;
    assert!(said.starts_with("200 GET //evil.test/ HTTP/1.1\r\n"), "{said}");
    for method in ["GET http://evil.test/ HTTP/1.1\r\nX:", "GET ", "get", "CONNECT", "TRACE", "", "G\u{c9}T"]
    {
        let error = lab.send(method, &server.url("/"), &[], b"").await.expect_err(method);
        assert!(error.to_string().contains("is no method that can be sent"), "{error}");
    }
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn no_header_becomes_two_and_the_hosts_own_are_kept() {
    let server = echo().await;
    let lab = Lab::of(&[format!("* {}", server.url("/"))]);
    for (name, value) in [
        ("x", "1\r\nhost: evil.test"),
        ("x\r\nhost", "evil.test"),
        ("Host", "evil.test"),
        ("content-length", "0"),
        ("transfer-encoding", "chunked"),
        ("connection", "upgrade"),
        ("proxy-authorization", "x"),
        ("accept-encoding", "gzip"),
        ("x-http-method-override", "DELETE"),
        ("content_length", "0"),
    ] {
        let error = lab.send("POST", &server.url("/"), &[(name, value)], b"x").await.expect_err(name);
        assert!(error.to_string().contains("can't be sent"), "{error}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_request_is_bounded() {
    let server = echo().await;
    let lab = Lab::of(&[format!("* {}", server.url("/"))]);
    let long = "x".repeat(1_999);
    for (headers, body, wanted) in [
        (
            vec![("x", long.as_str()), ("y", "")],
            0,
            "limit `http-request-header-bytes` reached: 2001 of 2000 allowed",
        ),
        (vec![("x", ""); 65], 0, "limit `http-request-headers` reached: 65 of 64 allowed"),
        (vec![], 1_001, "limit `http-request-body` reached: 1001 of 1000 allowed"),
    ] {
        let error = lab.send("POST", &server.url("/"), &headers, &vec![0; body]).await.expect_err(wanted);
        assert_eq!(error.to_string(), wanted);
    }
    let open: Vec<_> = (0..32).map(|_| lab.client.request("GET", &server.url("/"), &lab.slots)).collect();
    assert!(open.iter().all(Result::is_ok));
    assert_eq!(lab.get(&server.url("/")).await, "limit `http-open` reached: 33 of 32 allowed");
    drop(open);
    assert!(lab.get(&server.url("/")).await.starts_with("200 "));
}

#[tokio::test]
async fn an_encrypted_address_is_not_spoken_to_openly() {
    let server = echo().await;
    let url = format!("https://localhost:{}/", server.port);
    let bounds = Bounds { connect: Duration::from_millis(200), ..small() };
    let lab = Lab::new(std::slice::from_ref(&url), &[], Names::default(), bounds);
    let error =
        lab.send("GET", &url, &[("x", "y")], b"").await.expect_err("nobody answers a greeting of TLS");
    assert!(
        error.to_string().ends_with("could not be reached in time: limit `http-connect` of 200ms passed"),
        "{error}"
    );
    assert_eq!(server.received(), Vec::<String>::new());
}

#[tokio::test]
async fn no_proxy_of_the_environment_is_used() {
    // The variables are read when a client is made, and the program of this test has them from its start.
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "requests::a_granted_request_is_sent_as_it_was_written_and_nothing_besides"])
        .envs(["http_proxy", "https_proxy", "all_proxy"].map(|name| (name, "http://127.0.0.1:9")))
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
