//! Redirects, each checked as the first address was.

use crate::lab::{Lab, Names, secret, small, told};
use crate::server::{Say, Server};

async fn to(status: u16, location: &str) -> Server {
    let location = location.to_owned();
    Server::start(move |_| Say::redirect(status, &location)).await
}

#[tokio::test]
async fn a_granted_redirect_is_followed_and_told() {
    let server = Server::start(|request| match request.split(' ').nth(1) {
        Some("/a") => Say::redirect(302, "/b"),
        Some("/b") => Say::redirect(307, "c?d"),
        _ => Say::body("there"),
    })
    .await;
    let lab = Lab::of(&[server.url("/")]);
    let answer = lab.send("GET", &server.url("/a"), &[], b"").await.expect("an answer");
    assert_eq!(answer.url(), server.url("/c?d"));
    assert_eq!(told(Ok(answer)).await, "200 there");
}

#[tokio::test]
async fn a_redirect_to_what_is_not_granted_is_not_followed() {
    let target = Server::always(Say::body("secret place")).await;
    for location in [
        target.url("/"),
        format!("http://127.0.0.1:{}/", target.port),
        format!("//localhost:{}/", target.port),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "https://evil.test/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://localhost/".to_owned(),
        "http://user:key@localhost/".to_owned(),
    ] {
        let server = to(302, &location).await;
        let lab = Lab::of(&[server.url("/")]);
        let said = lab.get(&server.url("/")).await;
        let refused = said.contains("is not granted for") || said.contains("can't be followed");
        assert!(refused && said.contains("redirect from"), "{location}: {said}");
        assert_eq!(server.connections(), 1);
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn a_granted_name_that_leads_inside_is_refused_after_a_redirect_too() {
    let target = Server::always(Say::body("secret place")).await;
    let inside = format!("http://inside.test:{}", target.port);
    let server = to(302, &inside).await;
    let names = Names::default().with("inside.test", &[&["127.0.0.1"]]);
    let lab = Lab::new(&[server.url("/"), inside], &[], names, small());
    let said = lab.get(&server.url("/")).await;
    assert!(said.contains("not granted for a loopback address, and `inside.test` has no other"), "{said}");
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn another_server_gets_no_credentials() {
    let target = Server::start(Say::body).await;
    let other = format!("http://127.0.0.1:{}/there", target.port);
    let server = to(307, &other).await;
    let both = [format!("http://localhost:{}", server.port), format!("http://127.0.0.1:{}", target.port)];
    let key = secret("key", "t0ken-abc", &both);
    let rules = [format!("* {}", server.url("/")), format!("* {other}")];
    let lab = Lab::new(&rules, &[key], Names::default(), small());
    let headers =
        [("authorization", "Basic eDp5"), ("cookie", "a=b"), ("x-key", "${secret:key}"), ("x", "kept")];
    let said = told(lab.send("POST", &server.url("/"), &headers, b"body").await).await;
    assert!(server.received()[0].contains("x-key: t0ken-abc"));
    let [received] = &target.received()[..] else { panic!("one request is wanted") };
    assert!(received.contains("x: kept") && received.ends_with("body"), "{received}");
    assert!(
        !["authorization", "cookie", "x-key", "t0ken"].iter().any(|word| received.contains(word)),
        "{received}"
    );
    assert!(said.starts_with("200 POST /there"), "{said}");
}

#[tokio::test]
async fn the_method_of_a_redirect_must_be_granted_too() {
    let server = to(303, "/b").await;
    let lab = Lab::of(&[format!("POST {}", server.url("/"))]);
    let said = told(lab.send("POST", &server.url("/a"), &[], b"x").await).await;
    let port = server.port.to_string();
    assert_eq!(
        said.replace(&port, "PORT"),
        "the capability `http` is not granted for `GET http://localhost:PORT/b`, where a redirect from \
         `http://localhost:PORT/a` leads"
    );
}

#[tokio::test]
async fn redirects_end() {
    let server = to(302, "/again").await;
    let lab = Lab::of(&[server.url("/")]);
    assert_eq!(lab.get(&server.url("/")).await, "limit `http-redirects` reached: 6 of 5 allowed");
    assert_eq!(server.connections(), 6);
}

#[tokio::test]
async fn a_redirect_without_a_place_is_an_answer() {
    let server = Server::always(Say::whole(302, "", b"nowhere")).await;
    assert_eq!(Lab::of(&[server.url("/")]).get(&server.url("/")).await, "302 nowhere");
}
