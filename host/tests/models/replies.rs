//! Whole replies over real protocols: what a call that fails or is aborted costs, and what the provider sees later.

use std::sync::Arc;

use cepa::agent::{Agent, ReplyItem};
use cepa::event::{Event, Outcome};
use cepa::message::Usage;
use cepa::session::SessionData;
use serde_json::json;

use super::openai::{DONE, data, delta, finish};
use super::play::Wire;
use super::server::{End, Reply, Server};

async fn agent(wire: Wire, server: &Server) -> Agent {
    Agent::builder("tester").model("main", Arc::from(wire.model(&server.url))).build().await.unwrap()
}

async fn session(agent: &Agent) -> SessionData {
    agent.sessions().load("s".to_owned()).await.unwrap()
}

/// One event of a Messages stream.
fn event(json: &str) -> String {
    format!("data: {json}\n\n")
}

/// The begin of a Messages stream that has cost 25 tokens so far, and says this much.
fn messages(blocks: &[&str]) -> String {
    let start = r#"{"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":1}}}"#;
    std::iter::once(&start).chain(blocks).map(|json| event(json)).collect()
}

const THOUGHT: [&str; 3] = [
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
];
const TEXT: [&str; 2] = [
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Once upon"}}"#,
];
const HALF_CALL: [&str; 3] = [
    r#"{"type":"content_block_stop","index":1}"#,
    r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"add","input":{}}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\": "}}"#,
];

/// What came of a reply whose model call failed, in the usage of the reply and of the session.
async fn cost(wire: Wire, reply: Reply) -> (Usage, Vec<(String, Usage, u64)>) {
    let server = Server::start([reply]).await;
    let agent = agent(wire, &server).await;
    let result = agent.reply("s", "Go").await.unwrap().finish().await;
    assert_eq!(result.response.outcome, Outcome::Failed);
    (result.response.usage.clone(), session(&agent).await.usage)
}

#[tokio::test]
async fn tokens_that_were_reported_before_a_failure_are_counted() {
    let usage = data(r#"{"choices":[],"usage":{"prompt_tokens":25,"completion_tokens":1}}"#);
    let error = data(r#"{"error":{"message":"boom"}}"#);
    let said = delta(r#"{"content":"Once"}"#);
    let cut = |body: String| Reply::of(body).end(End::Cut);
    let failures = [
        (Wire::Anthropic, cut(messages(&TEXT))),
        (Wire::Anthropic, Reply::of(messages(&[r#"{"type":"error","error":{"type":"overloaded_error"}}"#]))),
        (Wire::OpenAi, cut(format!("{usage}{said}"))),
        (Wire::OpenAi, Reply::of(format!("{said}{usage}{error}"))),
        (Wire::OpenAi, Reply::of(format!("{usage}{error}"))),
    ];
    let expected = Usage { input_tokens: Some(25), output_tokens: Some(1), ..Usage::default() };
    for (wire, reply) in failures {
        let (of_reply, of_session) = cost(wire, reply).await;
        assert_eq!(of_reply, expected);
        assert_eq!(of_session, [("main".to_owned(), expected.clone(), 1)]);
    }
    let (of_reply, of_session) = cost(Wire::OpenAi, Reply::of("").status(500)).await;
    assert_eq!(
        (of_reply, of_session),
        (Usage::default(), Vec::new()),
        "nothing is known, nothing is counted"
    );
}

/// Aborts a reply at this moment, asks again, and gives the session and the body of the second request.
async fn cut_short(
    wire: Wire,
    first: String,
    second: String,
    moment: fn(&Event) -> bool,
) -> (SessionData, serde_json::Value) {
    let server = Server::start([Reply::of(first).end(End::Hang), Reply::of(second)]).await;
    let agent = agent(wire, &server).await;
    let mut stream = agent.reply("s", "A story").await.unwrap();
    while !matches!(&stream.next().await, Some(ReplyItem::Event(event)) if moment(event)) {}
    stream.abort();
    let aborted = stream.finish().await;
    assert_eq!(aborted.response.outcome, Outcome::Aborted);
    let session = session(&agent).await;
    let answered = agent.reply("s", "Go on").await.unwrap().finish().await;
    assert_eq!(answered.response.outcome, Outcome::Replied, "{:?}", answered.response.error);
    (session, server.received()[1].body.clone())
}

const REST: [&str; 3] = [
    r#"{"type":"content_block_stop","index":1}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
    r#"{"type":"message_stop"}"#,
];

#[tokio::test]
async fn an_aborted_message_goes_back_without_its_thought_and_its_half_call() {
    let half = |event: &Event| matches!(event, Event::ToolCallDelta { .. });
    let first = messages(&[&THOUGHT[..], &TEXT, &HALF_CALL].concat());
    let second = messages(&[&TEXT[..], &REST].concat());
    let (session, body) = cut_short(Wire::Anthropic, first, second, half).await;
    assert_eq!(session.usage[0].1.input_tokens, Some(25), "an aborted call has its price");
    assert_eq!(session.messages[1].content.len(), 2, "{:?}", session.messages[1]);
    let text =
        |role: &str, text: &str| json!({ "role": role, "content": [{ "type": "text", "text": text }] });
    let expected = json!([text("user", "A story"), text("assistant", "Once upon"), text("user", "Go on")]);
    assert_eq!(body["messages"], expected);

    let fragment =
        r#"{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\": "}}]}"#;
    let first =
        format!("{}{}", delta(r#"{"reasoning_content":"Hm.","content":"Once upon"}"#), delta(fragment));
    let second = format!("{}{}{DONE}", delta(r#"{"content":"a time."}"#), finish("stop"));
    let (session, body) = cut_short(Wire::OpenAi, first, second, half).await;
    assert_eq!(session.messages[1].text(), "Once upon");
    let text = |role: &str, text: &str| json!({ "role": role, "content": text });
    let expected = json!([text("user", "A story"), text("assistant", "Once upon"), text("user", "Go on")]);
    assert_eq!(body["messages"], expected);
}
