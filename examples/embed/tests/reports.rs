//! The service over HTTP, as a client sees it.

use std::sync::Arc;

use example_embed::{Tracker, routes, triage_agent};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The service on a port of its own.
struct Service {
    address: String,
    client: Client,
    end: oneshot::Sender<()>,
    running: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Service {
    async fn start() -> Self {
        let agent = triage_agent(Arc::new(Tracker::default())).await.expect("the agent can be built");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (end, ended) = oneshot::channel::<()>();
        let server = axum::serve(listener, routes(agent)).with_graceful_shutdown(async {
            let _ = ended.await;
        });
        // A proxy of the machine's surroundings would not reach this port.
        let client = Client::builder().no_proxy().build().expect("a client");
        Self { address, client, end, running: tokio::spawn(server.into_future()) }
    }

    async fn end(self) {
        self.end.send(()).expect("the service runs");
        self.running.await.expect("no panic").expect("no error");
    }

    fn url(&self, id: &str) -> String {
        format!("{}/reports/{id}", self.address)
    }

    /// Says something about a report, and reads the events of the answer.
    async fn say(&self, id: &str, text: &str) -> Vec<Value> {
        let response = self.client.post(self.url(id)).body(text.to_owned()).send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
        let body = response.text().await.expect("a whole stream");
        let lines = body.lines().filter_map(|line| line.strip_prefix("data:"));
        lines.map(|line| serde_json::from_str(line).expect("an event is JSON")).collect()
    }
}

fn of_type<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

#[tokio::test]
async fn a_report_is_answered_from_the_tracker() {
    let service = Service::start().await;
    let events = service.say("a", "it crashes when I open an empty file").await;
    service.end().await;

    let answer = "Thank you. I looked it up: known bug #12: crash when the file is empty.";
    let deltas = of_type(&events, "text-delta");
    let streamed: String = deltas.iter().filter_map(|event| event["text"].as_str()).collect();
    assert_eq!(streamed, answer);
    assert!(deltas.len() > 1, "the answer is streamed in pieces: {events:#?}");
    assert_eq!(of_type(&events, "tool-call-start")[0]["name"], "find-bug");
    let last = events.last().expect("events");
    assert_eq!(*last, json!({ "type": "result", "outcome": "replied", "text": answer }));

    let counts: Vec<_> =
        of_type(&events, "other").into_iter().filter(|event| event["name"] == "token-usage").collect();
    assert_eq!(counts.len(), 2, "the layer counts each of the two model calls: {events:#?}");
}

#[tokio::test]
async fn each_report_is_a_conversation_of_its_own() {
    let service = Service::start().await;
    service.say("a", "it crashes").await;
    service.say("b", "it is slow").await;
    service.say("a", "in version 3").await;
    let response = service.client.get(service.url("a")).send().await.expect("an answer");
    let messages: Vec<Value> = response.json().await.expect("messages");
    service.end().await;

    let asked: Vec<_> = messages.iter().filter(|message| message["role"] == "user").collect();
    let texts: Vec<_> = asked.iter().map(|message| message["content"][0]["text"].clone()).collect();
    assert_eq!(texts, ["it crashes", "in version 3"]);
}

#[tokio::test]
async fn an_empty_report_is_refused() {
    let service = Service::start().await;
    let response = service.client.post(service.url("a")).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let text = response.text().await.expect("a text");
    service.end().await;
    assert!(text.contains("the input can't be used"), "{text}");
}
