//! What a person and a program see of a reply.

use cepa::agent::{Pending, ReplyItem, ReplyResult};
use cepa::chain::{HookKind, LayerLine, Note, NoteKind, Spent};
use cepa::error::{Error, ErrorKind};
use cepa::event::{Event, Outcome};
use cepa::message::{FinishReason, Message, ToolCall, ToolState};
use cepa::request::{ReplyResponse, ReplyResponseData};
use serde_json::json;

use super::human::Human;
use super::json::JsonLines;
use super::style::Style;
use super::summary::{self, NoteCounts};

fn event(value: serde_json::Value) -> ReplyItem {
    ReplyItem::Event(serde_json::from_value(value).expect("an event"))
}

fn note(layer: &str, kind: NoteKind) -> ReplyItem {
    ReplyItem::Note(Note { layer: layer.to_owned(), kind })
}

/// A reply that shows everything: an attempt that fails, thinking, a call that is changed, a long result.
fn items() -> Vec<ReplyItem> {
    let result = (1..=9).map(|line| format!("line {line}\n")).collect::<String>();
    vec![
        event(json!({ "type": "reply-start", "reply-id": "r", "session-id": "s", "agent-name": "a" })),
        event(json!({ "type": "model-call-start", "id": "m1", "model": "main" })),
        event(json!({ "type": "text-start", "id": "m1.0" })),
        event(json!({ "type": "text-delta", "id": "m1.0", "text": "It is sun" })),
        ReplyItem::Event(Event::ModelCallEnd {
            id: "m1".to_owned(),
            finish_reason: FinishReason::Other,
            usage: None,
            error: Some(Error::new(ErrorKind::Overloaded, "too busy")),
        }),
        note("retry", NoteKind::Log { level: "info", message: "attempt 1 failed:\n too busy".to_owned() }),
        event(json!({ "type": "withdrawn", "id": "m1" })),
        event(json!({ "type": "model-call-start", "id": "m2", "model": "main" })),
        event(json!({ "type": "thinking-start", "id": "m2.0" })),
        event(json!({ "type": "thinking-delta", "id": "m2.0", "text": "I should " })),
        event(json!({ "type": "thinking-delta", "id": "m2.0", "text": "look." })),
        event(json!({ "type": "thinking-end", "id": "m2.0" })),
        event(json!({ "type": "tool-call-start", "call-id": "c1", "name": "weather" })),
        event(json!({ "type": "tool-call-delta", "call-id": "c1", "text": "{\"city\":" })),
        event(json!({ "type": "tool-call-delta", "call-id": "c1", "text": "\"Paris\"}" })),
        event(json!({ "type": "tool-call-end", "call-id": "c1" })),
        event(json!({ "type": "model-call-end", "id": "m2", "finish-reason": "tool-calls" })),
        event(
            json!({ "type": "tool-call-replaced", "call": { "id": "c1", "name": "weather", "arguments": "{\"city\":\"Rome\"}" } }),
        ),
        event(json!({ "type": "tool-result-start", "call-id": "c1", "name": "weather" })),
        event(json!({ "type": "tool-result-text", "call-id": "c1", "text": result })),
        event(json!({ "type": "tool-result-end", "call-id": "c1", "state": "success" })),
        event(json!({ "type": "tool-result-start", "call-id": "c2", "name": "rm" })),
        event(json!({ "type": "tool-result-text", "call-id": "c2", "text": "not allowed" })),
        event(json!({ "type": "tool-result-end", "call-id": "c2", "state": "denied" })),
        note("guard", NoteKind::Skipped { hook: "on-acting", cause: "ran out of time".to_owned() }),
        note("guard", NoteKind::ToolCall { tool: "audit".to_owned(), outcome: "success".to_owned() }),
        event(json!({ "type": "model-call-start", "id": "m3", "model": "main" })),
        event(json!({ "type": "text-start", "id": "m3.0" })),
        event(json!({ "type": "text-delta", "id": "m3.0", "text": "It is \u{1b}[31msunny" })),
        event(json!({ "type": "text-delta", "id": "m3.0", "text": " in Rome." })),
        event(json!({ "type": "text-end", "id": "m3.0" })),
        event(
            json!({ "type": "message-replaced", "message": { "id": "x", "role": "assistant", "content": [{ "type": "text", "text": "It is sunny." }] } }),
        ),
        event(json!({ "type": "reply-end", "reply-id": "r", "outcome": "replied" })),
    ]
}

fn shown(text: bool) -> String {
    let mut out = Vec::new();
    let mut human = Human::new(&mut out, Style::default(), text);
    for item in items() {
        human.item(&item).expect("memory can be written");
    }
    String::from_utf8(out).expect("text")
}

fn result() -> ReplyResult {
    let call = ToolCall { id: "c9".to_owned(), name: "rm".to_owned(), arguments: "{}".to_owned() };
    ReplyResult {
        response: ReplyResponse::new(ReplyResponseData {
            outcome: Outcome::Parked,
            message: Some(Message::assistant("It is sunny.")),
            structured_output: None,
            error: None,
            usage: cepa::message::Usage { input_tokens: Some(7), ..Default::default() },
            steps: 2,
        }),
        reply_id: "r".to_owned(),
        pending: vec![Pending { call, reason: "a rule".to_owned(), external: false }],
        layers: lines(),
    }
}

fn lines() -> Vec<(String, HookKind, LayerLine)> {
    let line = |calls, runs, changed_requests, changed_responses, failures, micros| LayerLine {
        calls,
        runs,
        changed_requests,
        changed_responses,
        failures,
        micros,
        spent: Spent {
            cpu_micros: micros / 10,
            own_micros: micros / 2,
            host_calls: calls * 3,
            ..Spent::default()
        },
    };
    vec![
        ("guard".to_owned(), HookKind::Acting, line(2, 1, 0, 0, 1, 950)),
        ("retry".to_owned(), HookKind::ModelCall, line(3, 4, 0, 1, 0, 12_345)),
        ("timing".to_owned(), HookKind::Reply, line(1, 1, 1, 1, 0, 2_000_000)),
        ("timing".to_owned(), HookKind::ModelCall, line(3, 3, 0, 0, 0, 1_000)),
    ]
}

#[test]
fn a_terminal_shows_the_reply_as_it_runs() {
    insta::assert_snapshot!(shown(true));
}

#[test]
fn beside_a_pipe_only_what_happens_is_shown() {
    let shown = shown(false);
    assert!(!shown.contains("sunny"), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn json_is_one_object_a_line() {
    let mut out = Vec::new();
    let mut json = JsonLines::new(&mut out);
    for item in items() {
        json.item(&item).expect("memory can be written");
    }
    json.result("s", &result()).expect("memory can be written");
    let text = String::from_utf8(out).expect("text");
    for line in text.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("an object");
        assert!(value.get("type").is_some_and(serde_json::Value::is_string), "{line}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn each_layer_has_a_line() {
    let mut notes = NoteCounts::default();
    for item in items() {
        if let ReplyItem::Note(note) = item {
            notes.add(&note);
        }
    }
    let names = ["timing", "retry", "guard", "unused"].map(str::to_owned);
    insta::assert_snapshot!(summary::layers(&names, &lines(), &notes));
    assert_eq!(summary::layers(&[], &[], &notes), "");
}

#[test]
fn a_text_that_is_taken_back_is_not_said_to_be_replaced() {
    let mut out = Vec::new();
    let mut human = Human::new(&mut out, Style::default(), true);
    for item in [
        event(json!({ "type": "text-delta", "id": "b", "text": "Let me look." })),
        ReplyItem::Event(Event::MessageReplaced { message: Message::assistant("") }),
        event(json!({ "type": "text-delta", "id": "c", "text": "Done." })),
        event(json!({ "type": "text-end", "id": "c" })),
    ] {
        human.item(&item).expect("memory can be written");
    }
    assert_eq!(String::from_utf8_lossy(&out), "Let me look.\n! the text above is taken back\nDone.\n");
}

#[test]
fn a_state_is_said_of_a_result_that_is_no_success() {
    for (state, word) in [
        (ToolState::Error, "failed"),
        (ToolState::Interrupted, "was interrupted"),
        (ToolState::Parked, "waits"),
    ] {
        let mut out = Vec::new();
        let mut human = Human::new(&mut out, Style::default(), true);
        let start = Event::ToolResultStart { call_id: "c".to_owned(), name: "t".to_owned() };
        human.item(&ReplyItem::Event(start)).expect("memory can be written");
        let end = Event::ToolResultEnd { call_id: "c".to_owned(), state };
        human.item(&ReplyItem::Event(end)).expect("memory can be written");
        assert_eq!(String::from_utf8_lossy(&out), format!("< t {word}\n"));
    }
}
