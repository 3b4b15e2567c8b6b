//! Secrets go out to their servers, and nowhere else, and do not come back.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use crate::lab::{Lab, Names, body, secret, small, told};
use crate::server::{Say, Server};

const KEY: &str = "t0p/s3cr\"t+Ключ";
const ASCII: &str = "t0p/s3cr\"t+key";

fn lab(server: &Server) -> Lab {
    let key = secret("key", ASCII, &[format!("http://localhost:{}", server.port)]);
    Lab::new(&[format!("* {}", server.url("/"))], &[key], Names::default(), small())
}

#[tokio::test]
async fn a_secret_is_filled_into_headers_alone() {
    let server = Server::always(Say::body("fine")).await;
    let lab = lab(&server);
    let headers = [("authorization", "Bearer ${secret:key}"), ("x", "${secret:key}.${secret:key}")];
    assert_eq!(told(lab.send("POST", &server.url("/"), &headers, b"${secret:key}").await).await, "200 fine");
    let [received] = &server.received()[..] else { panic!("one request is wanted") };
    assert!(received.contains(&format!("authorization: Bearer {ASCII}\r\n")), "{received}");
    assert!(received.contains(&format!("x: {ASCII}.{ASCII}\r\n")), "{received}");
    assert!(received.ends_with("${secret:key}"), "{received}");
    let error = lab.send("GET", &server.url("/${secret:key}"), &[], b"").await.expect_err("no place for it");
    assert!(error.to_string().ends_with("a secret can stand in the value of a header alone"), "{error}");
}

#[tokio::test]
async fn a_secret_that_is_not_granted_for_this_server_is_not_sent() {
    let server = Server::always(Say::body("fine")).await;
    let elsewhere = secret("elsewhere", ASCII, &["https://api.test".to_owned()]);
    let lab = Lab::new(&[server.url("/")], &[elsewhere], Names::default(), small());
    for name in ["elsewhere", "unknown", "", "ELSEWHERE"] {
        let header = format!("Bearer ${{secret:{name}}}");
        let error =
            lab.send("GET", &server.url("/"), &[("authorization", &header)], b"").await.expect_err(name);
        let wanted = format!(
            "the capability `secrets` is not granted for `{name}` at http://localhost:{}",
            server.port
        );
        assert_eq!(error.to_string(), wanted);
        assert_eq!(error.denied().map(|(capability, _)| capability), Some("secrets"));
    }
    assert_eq!(server.connections(), 0);
}

/// Everything in which a server could give a secret back.
fn echoes() -> String {
    let percent = ASCII.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02x}");
        text
    });
    let hex: String = ASCII.bytes().map(|byte| format!("{byte:02x}")).collect();
    [
        ASCII.to_owned(),
        format!("{{\"authorization\":{}}}", serde_json::Value::from(ASCII)),
        STANDARD.encode(ASCII),
        STANDARD.encode(format!("user:{ASCII}")),
        STANDARD.encode(format!("someone:{ASCII}:more")),
        URL_SAFE_NO_PAD.encode(format!("xy{ASCII}")),
        "t0p%2Fs3cr%22t%2Bkey".to_owned(),
        "t0p%2fs3cr%22t%2bkey".to_owned(),
        percent,
        hex,
    ]
    .join("\n")
}

/// Parts of the secret, and of its Base64, that nothing may show.
fn shows(text: &str) -> bool {
    let inner = STANDARD.encode(ASCII);
    let inner = inner.get(2..10).expect("long enough");
    ["s3cr", "733363", "%33%63", inner].iter().any(|part| text.contains(part))
}

#[tokio::test]
async fn what_a_server_echoes_is_scrubbed_whole_and_across_chunks() {
    assert!(shows(&echoes()), "the test sees what it looks for");
    for size in [1, 2, 3, 7, 1_000] {
        let mut bytes =
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n".to_vec();
        for chunk in echoes().as_bytes().chunks(size) {
            bytes.extend(
                format!("{:x}\r\n", chunk.len()).bytes().chain(chunk.iter().copied()).chain(*b"\r\n"),
            );
        }
        bytes.extend(b"0\r\n\r\n");
        let server = Server::always(Say::raw(bytes)).await;
        let lab = lab(&server);
        let mut answer = lab.send("GET", &server.url("/"), &[], b"").await.expect("an answer");
        let text = String::from_utf8(body(&mut answer).await.expect("a body")).expect("text");
        assert!(!shows(&text), "{size}: {text}");
        assert_eq!(text.lines().filter(|line| line.contains("***")).count(), 10, "{text}");
    }
}

#[tokio::test]
async fn headers_addresses_and_errors_are_scrubbed_too() {
    let encoded = "t0p%2fs3cr%22t%2bkey";
    let server = Server::start(move |request| match request.split(' ').nth(1) {
        Some("/headers") => Say::whole(200, &format!("x-echo: <{ASCII}>\r\nx-{encoded}: y\r\n"), b""),
        Some("/back") => Say::redirect(302, &format!("/landed?{encoded}")),
        Some("/away") => Say::redirect(302, &format!("http://evil.test/{encoded}")),
        Some("/odd") => Say::redirect(302, &format!("odd://{encoded}@evil.test/")),
        _ => Say::body("landed"),
    })
    .await;
    let lab = lab(&server);
    let headers = [("authorization", "Bearer ${secret:key}")];
    let answer = lab.send("GET", &server.url("/headers"), &headers, b"").await.expect("an answer");
    assert_eq!((answer.header("X-Echo"), answer.header("x-***")), (Some("<***>"), Some("y")));
    let answer = lab.send("GET", &server.url("/back"), &headers, b"").await.expect("an answer");
    assert_eq!(answer.url(), server.url("/landed?***"));
    assert!(!shows(&format!("{answer:?}")), "{answer:?}");
    for path in ["/away", "/odd"] {
        let error = lab.send("GET", &server.url(path), &headers, b"").await.expect_err(path);
        assert!(!shows(&format!("{error} {error:?} {:?}", error.denied())), "{error:?}");
    }
    let sent = server.received();
    assert!(!shows(
        &sent.iter().map(|request| request.lines().next().unwrap_or_default()).collect::<String>()
    ));
}

#[tokio::test]
async fn no_print_shows_a_secret() {
    let server = Server::always(Say::body("fine")).await;
    let lab = lab(&server);
    let mut request = lab.client.request("GET", &server.url("/"), &lab.slots).expect("a request");
    request.add_header("x", "${secret:key}").expect("a header");
    assert!(!shows(&format!("{lab:?} {request:?}")));
}

#[test]
fn a_secret_must_fit_into_a_header_and_be_found_again() {
    let servers = || vec!["https://api.test".parse().expect("a server")];
    let refused = |text: &str, servers| {
        cepa::http::SecretGrant::new("key", cepa::secret::Secret::new(text), servers).expect_err(text)
    };
    assert_eq!(refused("1234567", servers()), "a secret has 8 to 4096 bytes, and this one 7");
    assert_eq!(refused(&"x".repeat(4_097), servers()), "a secret has 8 to 4096 bytes, and this one 4097");
    let line = "a secret stands in a header: one line of ASCII without control characters";
    assert_eq!(refused("1234\r\n5678", servers()), line);
    assert_eq!(refused(KEY, servers()), line);
    let any = vec!["https://*".parse().expect("a server")];
    assert_eq!(refused("12345678", any), "a secret is for named servers, and `*` is any");
}
