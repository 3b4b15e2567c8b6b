//! Messages as servers stream it, by the protocol and beside it.

use super::play::{Wire, play};
use super::server::{End, Reply};

/// An event, named by its type as the protocol wants it.
pub(crate) fn event(json: &str) -> String {
    let kind = json.split('"').nth(3).unwrap_or_default();
    format!("event: {kind}\ndata: {json}\n\n")
}

/// The beginning of a message with these counts.
fn start(usage: &str) -> String {
    event(&format!(
        r#"{{"type":"message_start","message":{{"id":"r1","type":"message","role":"assistant","model":"m-1","content":[],"stop_reason":null,"usage":{usage}}}}}"#
    ))
}

fn block(index: u32, block: &str, deltas: &[&str]) -> String {
    let mut text =
        event(&format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#));
    for delta in deltas {
        text.push_str(&event(&format!(
            r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#
        )));
    }
    text.push_str(&event(&format!(r#"{{"type":"content_block_stop","index":{index}}}"#)));
    text
}

fn stop(reason: &str) -> String {
    let delta = event(&format!(
        r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":5}}}}"#
    ));
    [delta, event(r#"{"type":"message_stop"}"#)].concat()
}

/// A stream with a thought, text, and a call.
pub(crate) fn full() -> String {
    [
        start(r#"{"input_tokens":10,"cache_read_input_tokens":30,"cache_creation_input_tokens":2,"output_tokens":1}"#),
        event(r#"{"type":"ping"}"#),
        block(0, r#"{"type":"thinking","thinking":""}"#, &[
            r#"{"type":"thinking_delta","thinking":"hm"}"#,
            r#"{"type":"signature_delta","signature":"c2ln"}"#,
        ]),
        block(1, r#"{"type":"text","text":""}"#, &[
            r#"{"type":"text_delta","text":"Hé"}"#,
            r#"{"type":"text_delta","text":"llo"}"#,
        ]),
        block(2, r#"{"type":"tool_use","id":"a","name":"add","input":{}}"#, &[
            r#"{"type":"input_json_delta","partial_json":""}"#,
            r#"{"type":"input_json_delta","partial_json":"{\"a\""}"#,
            r#"{"type":"input_json_delta","partial_json":":1}"}"#,
        ]),
        stop("tool_use"),
    ]
    .concat()
}

fn cases() -> Vec<(&'static str, Reply)> {
    let none = "{}";
    let text = r#"{"type":"text_delta","text":"Hello"}"#;
    vec![
        ("a thought, text and a call", Reply::of(full())),
        ("a hidden thought and a block of the server's own", Reply::of([
            start(none),
            block(0, r#"{"type":"redacted_thinking","data":"enc"}"#, &[]),
            block(1, r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#, &[
                r#"{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}"#,
            ]),
            block(2, r#"{"type":"text","text":"Hi"}"#, &[r#"{"type":"citations_delta","citation":{}}"#]),
            stop("end_turn"),
        ].concat())),
        ("a call without fragments, and one that came at once", Reply::of([
            start(none),
            block(0, r#"{"type":"tool_use","id":"a","name":"add","input":{}}"#, &[]),
            block(1, r#"{"type":"tool_use","id":"a","name":"add","input":{"a":1}}"#, &[]),
            stop("end_turn"),
        ].concat())),
        ("a block that never began", Reply::of([
            start(none),
            event(&format!(r#"{{"type":"content_block_delta","index":0,"delta":{text}}}"#)),
            stop("end_turn"),
        ].concat())),
        ("no types in the data, only event names", Reply::of([
            "event: message_start\ndata: {\"message\":{\"model\":\"m-1\"}}\n\n",
            "event: content_block_start\ndata: {\"index\":0,\"content_block\":{\"type\":\"text\"}}\n\n",
            "event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n",
            "event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
            "event: message_stop\ndata: {}\n\n",
        ].concat())),
        ("cut by the output limit inside a call", Reply::of([
            start(none),
            event(r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"add","input":{}}}"#),
            event(r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#),
            stop("max_tokens"),
        ].concat())),
        ("a whole answer where a stream was asked for", Reply::of(
            r#"{"id":"r","type":"message","role":"assistant","model":"m-1","content":[{"type":"text","text":"Hello"},{"type":"tool_use","id":"a","name":"add","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":1}}"#,
        )),
        ("cut after the reason to stop", Reply::of([
            start(none),
            block(0, r#"{"type":"text","text":""}"#, &[text]),
            stop("end_turn").split("event: message_stop").next().unwrap_or_default().to_owned(),
        ].concat()).end(End::Cut)),
        ("cut before it", Reply::of([start(none), block(0, r#"{"type":"text","text":""}"#, &[text])].concat()).end(End::Cut)),
        ("cut inside a call", Reply::of([
            start(none),
            event(r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"add","input":{}}}"#),
        ].concat())),
        ("overloaded in the middle", Reply::of([
            start(none),
            block(0, r#"{"type":"text","text":""}"#, &[text]),
            event(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        ].concat())),
        ("a refusal", Reply::of([start(none), stop("refusal")].concat())),
        ("arguments of no call", Reply::of([
            start(none),
            event(r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{"}}"#),
        ].concat())),
        ("JSON of something else", Reply::of(r#"{"choices":[]}"#)),
        ("nothing", Reply::of("")),
    ]
}

#[tokio::test]
async fn streams_are_understood() {
    let mut record = String::new();
    for (name, reply) in cases() {
        record.push_str(&format!("{name}\n{}\n", play(Wire::Anthropic, reply).await.text()));
    }
    insta::assert_snapshot!(record);
}
