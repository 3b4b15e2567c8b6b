//! Chat Completions as servers stream it, by the protocol and beside it.

use super::play::{Wire, play};
use super::server::{End, Reply};

/// A chunk with this delta.
pub(crate) fn delta(delta: &str) -> String {
    data(&format!(r#"{{"id":"r1","model":"m-1","choices":[{{"index":0,"delta":{delta}}}]}}"#))
}

/// A chunk that says why the model stopped.
pub(crate) fn finish(reason: &str) -> String {
    data(&format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#))
}

/// An event of this data.
pub(crate) fn data(data: &str) -> String {
    format!("data: {data}\n\n")
}

pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// A fragment of a tool call.
fn call(fragment: &str) -> String {
    delta(&format!(r#"{{"tool_calls":[{fragment}]}}"#))
}

fn text_cases() -> Vec<(&'static str, Reply)> {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":1,"accepted_prediction_tokens":3}}}"#;
    let plain = [
        delta(r#"{"role":"assistant","content":null}"#),
        delta(r#"{"content":"Hé"}"#),
        delta(r#"{"content":"llo"}"#),
        finish("stop"),
        data(usage),
        DONE.to_owned(),
    ]
    .concat();
    let hello = [delta(r#"{"content":"Hello"}"#), finish("stop"), DONE.to_owned()].concat();
    vec![
        ("a plain stream with usage after the end", Reply::of(plain.clone())),
        ("carriage returns", Reply::of(plain.replace('\n', "\r\n"))),
        ("no space after the colon, a byte order mark", Reply::of(format!("\u{feff}{}", hello.replace("data: ", "data:")))),
        ("comments and keep-alives", Reply::of(format!(": PROCESSING\n\n:\n\n{}", hello.replace("\n\n", "\n\n: ping\n\n")))),
        ("no blank lines between events", Reply::of(hello.replace("\n\n", "\n"))),
        ("no blank line at the end, no end mark", Reply::of([delta(r#"{"content":"Hello"}"#), finish("stop").trim_end().to_owned()].concat())),
        ("no reason to stop, but the end mark", Reply::of([delta(r#"{"content":"Hello"}"#), DONE.to_owned()].concat())),
        ("thoughts before and between text", Reply::of([
            delta(r#"{"reasoning_content":"hm","content":""}"#),
            delta(r#"{"reasoning":"m","reasoning_content":"m"}"#),
            delta(r#"{"content":"So"}"#),
            delta(r#"{"reasoning":"wait"}"#),
            delta(r#"{"content":"."}"#),
            finish("stop"),
            DONE.to_owned(),
        ].concat())),
        ("content in parts", Reply::of([
            delta(r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}"#),
            delta(r#"{"content":[{"type":"text","text":"Hel"},{"type":"text","text":"lo"}]}"#),
            finish("stop"),
            DONE.to_owned(),
        ].concat())),
        ("usage in every chunk, in pieces, as null", Reply::of([
            data(r#"{"choices":[{"delta":{"content":"Hi"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}"#),
            data(r#"{"choices":[{"delta":{"content":"!"}}],"usage":{"completion_tokens":2.0,"prompt_tokens":"?"}}"#),
            data(r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}"#),
            DONE.to_owned(),
        ].concat())),
        ("another choice, which nobody asked for", Reply::of([
            delta(r#"{"content":"Hi"}"#),
            data(r#"{"choices":[{"index":1,"delta":{"content":"Ho"}}]}"#),
            finish("stop"),
            DONE.to_owned(),
        ].concat())),
        ("a whole answer where a stream was asked for", Reply::of(
            r#" {"id":"r","model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":"Hello","tool_calls":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#,
        )),
        ("a whole message as the only chunk of a stream", Reply::of([
            data(r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}"#),
            DONE.to_owned(),
        ].concat())),
        ("cut after the reason to stop", Reply::of([delta(r#"{"content":"Hello"}"#), finish("stop")].concat()).end(End::Cut)),
        ("a server that never closes", Reply::of(hello).end(End::Hang)),
        ("filtered", Reply::of([delta(r#"{"content":"He"}"#), finish("content_filter"), DONE.to_owned()].concat())),
        ("a refusal", Reply::of([delta(r#"{"refusal":"No."}"#), finish("stop"), DONE.to_owned()].concat())),
        ("an empty answer", Reply::of([delta(r#"{"content":""}"#), finish("stop"), DONE.to_owned()].concat())),
    ]
}

fn call_cases() -> Vec<(&'static str, Reply)> {
    let reply = |events: &[String]| Reply::of([&events.concat(), DONE].concat());
    vec![
        (
            "fragments by index, two calls mixed",
            reply(&[
                delta(r#"{"content":"Let me see."}"#),
                call(
                    r#"{"index":0,"id":"a","type":"function","function":{"name":"get_weather","arguments":""}}"#,
                ),
                call(r#"{"index":0,"function":{"arguments":"{\"city\":"}}"#),
                call(r#"{"index":1,"id":"b","function":{"name":"add","arguments":"{"}}"#),
                call(r#"{"index":0,"function":{"arguments":"\"Paris\"}"}}"#),
                call(r#"{"index":1,"function":{"arguments":"}"}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "id and name in every fragment, and the call of old beside it",
            reply(&[
                delta(
                    r#"{"function_call":{"name":"add:","arguments":"{\"a\""},"tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":"{\"a\""}}]}"#,
                ),
                delta(
                    r#"{"function_call":{"name":"add:","arguments":":1}"},"tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":":1}"}}]}"#,
                ),
                finish("tool_calls"),
            ]),
        ),
        (
            "another id in every fragment",
            reply(&[
                call(r#"{"index":0,"id":"x1","function":{"name":"add","arguments":"{\"a\""}}"#),
                call(r#"{"index":0,"id":"x2","function":{"arguments":":1}"}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "no index, told apart by id",
            reply(&[
                call(r#"{"id":"a","function":{"name":"add","arguments":"{\"a\":1}"}}"#),
                call(r#"{"id":"b","function":{"name":"add","arguments":"{\"a\":"}}"#),
                call(r#"{"id":"b","function":{"arguments":"2}"}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "no index and no id",
            reply(&[
                call(r#"{"function":{"name":"add","arguments":"{\"a\":"}}"#),
                call(r#"{"function":{"arguments":"1}"}}"#),
                call(r#"{"function":{"name":"add","arguments":"{\"a\":2}"}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "the same index for every call",
            reply(&[
                call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{}"}}"#),
                call(r#"{"index":0,"id":"b","function":{"name":"get_weather","arguments":"{}"}}"#),
                finish("stop"),
            ]),
        ),
        (
            "the same index and no id for every call",
            reply(&[
                call(r#"{"index":0,"function":{"name":"add","arguments":"{\"a\":1}"}}"#),
                call(r#"{"index":0,"function":{"name":"add","arguments":"{\"a\":2}"}}"#),
                call(r#"{"index":0,"function":{"name":"add","arguments":""}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "a call in fragments, and once more as a whole",
            reply(&[
                call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{\"a\""}}"#),
                call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":":1}"}}"#),
                call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{\"a\":1}"}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "the same id for two calls",
            reply(&[
                call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{}"}}"#),
                call(r#"{"index":1,"id":"a","function":{"name":"add","arguments":"{}"}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "a name in pieces, an id that comes late",
            reply(&[
                call(r#"{"index":0,"function":{"name":"get_"}}"#),
                call(r#"{"index":0,"id":"a","function":{"name":"weather","arguments":null}}"#),
                call(r#"{"index":0,"function":{"name":null,"arguments":"{}"}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "arguments as an object",
            reply(&[
                call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":{"a":1}}}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "no arguments at all, then text",
            reply(&[
                call(r#"{"index":0,"id":"a","function":{"name":"add"}}"#),
                delta(r#"{"content":"Done?"}"#),
                finish("tool_calls"),
            ]),
        ),
        (
            "the call of old alone",
            reply(&[
                delta(r#"{"function_call":{"name":"add","arguments":""}}"#),
                delta(r#"{"function_call":{"arguments":"{}"}}"#),
                finish("function_call"),
            ]),
        ),
        (
            "no reason to stop, but whole calls",
            reply(&[call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{}"}}"#)]),
        ),
        (
            "no reason to stop, and half a call",
            reply(&[call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{\"a"}}"#)]),
        ),
        (
            "cut by the output limit inside a call",
            reply(&[
                call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{\"a\": \"x"}}"#),
                finish("length"),
            ]),
        ),
        (
            "whole calls in a whole answer",
            Reply::of(
                r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"add","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}"#,
            ),
        ),
    ]
}

fn broken_cases() -> Vec<(&'static str, Reply)> {
    let begun = || delta(r#"{"content":"Hel"}"#);
    vec![
        ("cut without an end", Reply::of(begun())),
        (
            "cut in the middle of an event",
            Reply::of([begun(), delta(r#"{"content":"lo"}"#)[..40].to_owned()].concat()).end(End::Cut),
        ),
        (
            "cut in the middle of a call",
            Reply::of(call(r#"{"index":0,"id":"a","function":{"name":"add","arguments":"{\"a\""}}"#))
                .end(End::Cut),
        ),
        (
            "an error object in the stream",
            Reply::of(
                [
                    begun(),
                    data(
                        r#"{"error":{"message":"Rate limit reached","type":"rate_limit_error","code":429}}"#,
                    ),
                ]
                .concat(),
            ),
        ),
        (
            "an error event in the stream",
            Reply::of(
                [begun(), "event: error\ndata: {\"message\":\"The server is overloaded\"}\n\n".to_owned()]
                    .concat(),
            ),
        ),
        (
            "an error field in the stream",
            Reply::of(
                [
                    begun(),
                    "error: {\"code\":500,\"message\":\"no slot\",\"type\":\"server_error\"}\n\n".to_owned(),
                ]
                .concat(),
            ),
        ),
        (
            "an error with status 200",
            Reply::of(
                r#"{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            ),
        ),
        (
            "an error of another form",
            Reply::of(r#"{"object":"error","message":"bad thing","type":"BadRequestError","code":400}"#),
        ),
        (
            "an HTML page",
            Reply::of("<!doctype html>\n<html><head><title>Welcome to nginx!</title></head></html>"),
        ),
        ("nothing", Reply::of("")),
        ("white space", Reply::of("\n\n  \n")),
        ("half a JSON", Reply::of(r#"{"choices":[{"message":{"content":"Hel"#)),
        ("JSON of something else", Reply::of(r#"{"hello":"world"}"#)),
        ("plain words", Reply::of("upstream connect error or disconnect/reset before headers")),
        ("an event of no JSON", Reply::of([begun(), data("oops")].concat())),
        ("only the end mark", Reply::of(DONE)),
    ]
}

async fn record(cases: Vec<(&str, Reply)>) -> String {
    let mut record = String::new();
    for (name, reply) in cases {
        record.push_str(&format!("{name}\n{}\n", play(Wire::OpenAi, reply).await.text()));
    }
    record
}

#[tokio::test]
async fn text_is_understood() {
    insta::assert_snapshot!(record(text_cases()).await);
}

#[tokio::test]
async fn tool_calls_are_put_together() {
    insta::assert_snapshot!(record(call_cases()).await);
}

#[tokio::test]
async fn broken_answers_are_errors() {
    insta::assert_snapshot!(record(broken_cases()).await);
}
