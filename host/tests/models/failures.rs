//! Servers that say no, are late, send too much, or are not there.

use std::time::Duration;

use cepa::error::ErrorKind;
use cepa::models::{HttpSettings, OpenAiModel, ServerConfig, Timeouts};
use cepa::secret::Secret;

use super::openai::{DONE, data, delta, finish};
use super::play::{Outcome, Wire, ask, play, question};
use super::server::{End, Reply, Server};

const KEY: &str = "sk-very-secret-0001";

fn refused() -> Vec<(&'static str, Reply)> {
    let error =
        |message: &str| Reply::of(format!(r#"{{"error":{{"message":"{message}","type":"t","code":null}}}}"#));
    vec![
        ("a wrong key", error("Incorrect API key").status(401)),
        ("no permission", Reply::of(r#"{"detail":"Forbidden"}"#).status(403)),
        ("no such model", error("The model does not exist").status(404)),
        ("too slow", Reply::of("").status(408)),
        ("too many requests, wait in seconds", error("Rate limit").status(429).header("retry-after", "3")),
        (
            "too many requests, wait in milliseconds",
            error("Rate limit").status(429).header("retry-after-ms", "250"),
        ),
        (
            "no quota left",
            Reply::of(
                r#"{"error":{"message":"Quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            )
            .status(429),
        ),
        ("too long", error("This model's maximum context length is 8192 tokens").status(400)),
        (
            "too long, by code",
            Reply::of(r#"{"error":{"message":"no","code":"context_length_exceeded"}}"#).status(400),
        ),
        ("filtered", Reply::of(r#"{"error":{"message":"no","code":"content_filter"}}"#).status(400)),
        ("a bad request", error("temperature: must be at most 2").status(400)),
        ("broken", error("boom").status(500)),
        ("a gateway's page", Reply::of("<html><head><title>502 Bad Gateway</title></head>").status(502)),
        ("not now", Reply::of("no healthy upstream").status(503)),
        ("a gateway's patience", Reply::of("").status(504)),
        (
            "overloaded",
            Reply::of(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#)
                .status(529),
        ),
        ("a redirect", Reply::of("").status(307).header("location", "http://127.0.0.1:9/")),
        ("a long page", Reply::of("word ".repeat(100_000)).status(500)),
    ]
}

#[tokio::test]
async fn a_refusal_is_typed() {
    let mut record = String::new();
    for (name, reply) in refused() {
        record.push_str(&format!("{name}\n{}\n", play(Wire::OpenAi, reply).await.text()));
    }
    insta::assert_snapshot!(record);
}

/// Asks a model whose server answers so, with these settings and the key.
async fn ask_with(http: HttpSettings, reply: Reply) -> Outcome {
    let server = Server::start([reply]).await;
    let mut config = ServerConfig::new("m", &server.url);
    config.api_key = Some(Secret::new(KEY));
    config.http = http;
    ask(&OpenAiModel::new(config).expect("a model"), question()).await
}

fn timeouts(change: impl FnOnce(&mut Timeouts)) -> HttpSettings {
    let mut settings = HttpSettings::default();
    change(&mut settings.timeouts);
    settings
}

#[tokio::test]
async fn each_timeout_is_kept_and_named() {
    let short = Duration::from_millis(40);
    let silent = Reply::of("").end(End::Hang);
    let stalled = Reply::of(delta(r#"{"content":"Hel"}"#)).end(End::Hang);
    let cases = [
        ("first-byte", silent, timeouts(|times| times.first_byte = short)),
        ("idle", stalled.clone(), timeouts(|times| times.idle = short)),
        ("total", stalled, timeouts(|times| times.total = short)),
    ];
    for (name, reply, settings) in cases {
        let began = std::time::Instant::now();
        let error = ask_with(settings, reply).await.result.expect_err("a timeout");
        // No other setting is added to it, and the smallest of them is 10 s.
        assert!(began.elapsed() < Duration::from_secs(9), "{name}");
        assert_eq!(error.kind, ErrorKind::Timeout, "{name}");
        assert_eq!(error.code, format!("{name}-timeout"));
        assert!(error.retryable, "{name}");
        assert!(error.message.ends_with(&format!("`timeouts.{name}` of 40ms passed")), "{}", error.message);
    }
}

#[tokio::test]
async fn endless_timeouts_are_no_overflow() {
    let endless = timeouts(|times| {
        let most = Duration::MAX;
        *times = Timeouts { connect: most, first_byte: most, idle: most, total: most };
    });
    let good = [delta(r#"{"content":"Hello"}"#), finish("stop"), DONE.to_owned()].concat();
    assert_eq!(ask_with(endless, Reply::of(good)).await.result.expect("an answer").text(), "Hello");
}

#[tokio::test]
async fn nobody_there_is_a_connection_error_without_the_address() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port on loopback");
    let address = listener.local_addr().expect("a bound listener");
    drop(listener);
    let model = Wire::OpenAi.model(&format!("http://{address}"));
    let error = ask(&*model, question()).await.result.expect_err("nobody answers");
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Connection, "model `m` (openai) could not be reached: connection refused")
    );
}

#[tokio::test]
async fn a_host_that_nobody_knows_is_said_so() {
    // No part of a name is that long, so that nobody is even asked.
    let model = Wire::OpenAi.model(&format!("http://{}.invalid", "x".repeat(64)));
    let error = ask(&*model, question()).await.result.expect_err("there is no such host");
    assert_eq!(error.message, "model `m` (openai) could not be reached: the name of its host is not known");
}

#[tokio::test]
async fn an_answer_is_bounded() {
    let settings = HttpSettings { max_response_bytes: 500, ..HttpSettings::default() };
    let body: String = (0..40).map(|_| delta(r#"{"content":"more"}"#)).collect();
    let outcome = ask_with(settings, Reply::of(body).split((0..4000).step_by(100))).await;
    let error = outcome.result.expect_err("too much");
    assert_eq!((error.kind, error.code.as_str()), (ErrorKind::Limit, "max-response-bytes"));
    assert!(error.message.contains("500 bytes"), "{}", error.message);
}

#[tokio::test]
async fn no_error_shows_a_secret() {
    let echo = format!("your key {KEY} and header Token hidden-header-7");
    let settings = HttpSettings {
        headers: vec![("x-extra".to_owned(), Secret::new("Token hidden-header-7"))],
        ..HttpSettings::default()
    };
    let replies = [
        Reply::of(echo.clone()).status(401),
        Reply::of(format!(r#"{{"error":{{"message":"{echo}"}}}}"#)).status(400),
        Reply::of(echo.clone()),
        Reply::of(data(&echo)),
        Reply::of(data(&format!(r#"{{"error":"{echo}"}}"#))),
        // At the very place where an excerpt ends.
        Reply::of(format!("{} {KEY}", "x".repeat(290))).status(500),
    ];
    for reply in replies {
        let error = ask_with(settings.clone(), reply).await.result.expect_err("an error");
        let shown = format!("{error} {error:?}");
        assert!(
            shown.contains("***") && !shown.contains("sk-very") && !shown.contains("hidden-header"),
            "{shown}"
        );
    }
    let mut config = ServerConfig::new("m", format!("http://me:{KEY}@127.0.0.1:9/?key={KEY}"));
    config.api_key = Some(Secret::new(KEY));
    config.http = settings;
    let shown = format!("{config:?} {:?}", OpenAiModel::new(config.clone()).expect("a model"));
    assert!(!shown.contains(KEY) && !shown.contains("hidden-header"), "{shown}");
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_at_once() {
    let message = |config: ServerConfig| OpenAiModel::new(config).expect_err("unusable").message;
    assert_eq!(
        message(ServerConfig::new("m", "ftp://host")),
        "`base-url` must begin with `http://` or `https://`"
    );
    assert_eq!(
        message(ServerConfig::new("m", "localhost")),
        "`base-url` is no address: relative URL without a base"
    );
    let mut config = ServerConfig::new("m", "http://host");
    config.api_key = Some(Secret::new("two\nlines"));
    assert_eq!(message(config), "header `authorization` has a value that HTTP does not allow");
}

#[tokio::test]
async fn a_failed_call_closes_what_it_opened_and_the_next_one_works() {
    let good = [delta(r#"{"content":"Hello"}"#), finish("stop"), DONE.to_owned()].concat();
    let server =
        Server::start([Reply::of(delta(r#"{"content":"Hel"}"#)).end(End::Cut), Reply::of(good)]).await;
    let model = Wire::OpenAi.model(&server.url);
    let failed = ask(&*model, question()).await;
    assert_eq!(failed.events.len(), 3, "start, delta and end: {:?}", failed.events);
    assert_eq!(failed.result.expect_err("cut").kind, ErrorKind::Connection);
    let answer = ask(&*model, question()).await.result.expect("an answer");
    assert_eq!(answer.text(), "Hello");
}
