//! Whatever bytes come, there is an answer or an error, the events pair up, and nothing panics.

use std::collections::HashSet;

use cepa::error::ErrorKind;
use cepa::event::Event;
use proptest::prelude::*;

use super::anthropic::full;
use super::openai::{DONE, data, delta, finish};
use super::play::{Outcome, Wire, play};
use super::server::{End, Reply};

/// Whether each block that began ended, once, with nothing after it.
fn pairs_up(outcome: &Outcome) -> bool {
    let (mut open, mut seen) = (HashSet::new(), HashSet::new());
    outcome.events.iter().all(|event| match event {
        Event::TextStart { id } | Event::ThinkingStart { id } => open.insert(id) && seen.insert(id),
        Event::ToolCallStart { call_id, .. } => open.insert(call_id) && seen.insert(call_id),
        Event::TextDelta { id, .. } | Event::ThinkingDelta { id, .. } => open.contains(id),
        Event::ToolCallDelta { call_id, .. } => open.contains(call_id),
        Event::TextEnd { id } | Event::ThinkingEnd { id } => open.remove(id),
        Event::ToolCallEnd { call_id } => open.remove(call_id),
        _ => false,
    }) && open.is_empty()
}

fn check(wire: Wire, body: Vec<u8>, end: End, status: u16) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(play(wire, Reply::of(body).end(end).status(status)));
    prop_assert!(pairs_up(&outcome), "{}", outcome.text());
    if let Err(error) = &outcome.result {
        prop_assert!(error.message.chars().count() < 500, "{}", error.message);
    }
    Ok(())
}

fn wires() -> impl Strategy<Value = Wire> {
    prop_oneof![Just(Wire::OpenAi), Just(Wire::Anthropic)]
}

fn ends() -> impl Strategy<Value = End> {
    prop_oneof![Just(End::Proper), Just(End::Cut)]
}

/// Values that stand where a protocol has others.
fn odd_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("\"x\"".to_owned()),
        Just("-1".to_owned()),
        Just("1e99".to_owned()),
        Just("true".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
    ];
    let keys = prop::sample::select(vec![
        "choices",
        "delta",
        "message",
        "content",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "index",
        "finish_reason",
        "usage",
        "error",
        "type",
        "content_block",
        "partial_json",
        "text",
        "stop_reason",
        "model",
    ]);
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec((keys.clone(), inner), 0..4).prop_map(|fields| {
                let fields: Vec<_> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    })
}

/// Answers that end as they should, with other things in the places of their words.
fn mistyped() -> Vec<(Wire, String)> {
    let chat = [
        data("5"),
        data("null"),
        data(r#"{"choices":"x"}"#),
        data(r#"{"choices":[{"delta":"x"}]}"#),
        delta(r#"{"content":5}"#),
        delta(r#"{"content":{"text":"x"}}"#),
        delta(r#"{"tool_calls":"x"}"#),
    ];
    let block = |block: &str| full().replace(r#"{"type":"text","text":""}"#, block);
    let piece = |delta: &str| full().replace(r#"{"type":"text_delta","text":"llo"}"#, delta);
    let messages = [
        block("5"),
        block(r#"{"type":"text","text":5}"#),
        block(r#"{"type":"tool_use","id":5,"name":"add"}"#),
        piece(r#""x""#),
        piece(r#"{"type":"text_delta","text":5}"#),
    ];
    let chat = chat.into_iter().map(|odd| (Wire::OpenAi, [odd, finish("stop"), DONE.to_owned()].concat()));
    chat.chain(messages.into_iter().map(|body| (Wire::Anthropic, body))).collect()
}

#[tokio::test]
async fn what_stands_where_words_should_is_an_error_and_no_silence() {
    for (wire, body) in mistyped() {
        let error = play(wire, Reply::of(body.clone())).await.result.expect_err(&body);
        assert_eq!(error.kind, ErrorKind::Upstream, "{body}");
        assert!(error.message.contains("did not answer as its protocol says"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_bytes(wire in wires(), body: Vec<u8>, end in ends(), status in prop_oneof![Just(200_u16), 400_u16..600]) {
        check(wire, body, end, status)?;
    }

    #[test]
    fn any_json(wire in wires(), events in proptest::collection::vec(odd_json(), 0..4), stream: bool) {
        let body = if stream {
            events.iter().flat_map(|event| ["data: ", event, "\n\n"]).chain([DONE]).collect()
        } else {
            events.concat()
        };
        check(wire, body.into_bytes(), End::Proper, 200)?;
    }

    #[test]
    fn a_good_stream_with_holes(
        wire in wires(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<Option<u8>>()), 1..6),
        end in ends(),
    ) {
        let call = delta(r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":"{}"}}]}"#);
        let mut body = match wire {
            Wire::OpenAi => [delta(r#"{"content":"Hé"}"#), call, finish("tool_calls"), DONE.to_owned()].concat(),
            Wire::Anthropic => full(),
        }.into_bytes();
        for (place, change) in changes {
            let place = place.index(body.len());
            match change {
                Some(byte) => body[place] = byte,
                None => body.truncate(place + 1),
            }
        }
        check(wire, body, end, 200)?;
    }
}
