//! What is sent to a server for a request.

use std::sync::Arc;

use cepa::error::ErrorKind;
use cepa::message::{
    Block, Data, DataSource, Message, ResultPart, Role, ToolCall, ToolChoice, ToolResult, ToolState,
};
use cepa::models::{AnthropicModel, OpenAiModel, ServerConfig};
use cepa::request::ModelRequest;
use cepa::secret::Secret;
use serde_json::{Value, json};

use super::play::{Wire, ask, question, tool};
use super::server::{Reply, Server};

fn image() -> Data {
    Data { media_type: "image/png".to_owned(), source: DataSource::Bytes(vec![1, 2, 3]), name: None }
}

fn call(id: &str, arguments: &str) -> Block {
    Block::ToolCall(ToolCall { id: id.to_owned(), name: "add".to_owned(), arguments: arguments.to_owned() })
}

fn result(id: &str, state: ToolState, content: Vec<ResultPart>) -> Message {
    let result = ToolResult { call_id: id.to_owned(), name: "add".to_owned(), state, content };
    Message::new(Role::Tool, vec![Block::ToolResult(result)])
}

fn hint(text: &str) -> Block {
    Block::Hint { source: "clock".to_owned(), text: text.to_owned() }
}

fn text(text: &str) -> Block {
    Block::Text { text: text.to_owned() }
}

/// A conversation with everything in it.
fn everything() -> ModelRequest {
    let mut request = ModelRequest::to("main");
    let link = DataSource::Url("https://example.org/cat.png".to_owned());
    let link = Data { media_type: "image/png".to_owned(), source: link, name: None };
    let notes = Data {
        media_type: "text/plain".to_owned(),
        source: DataSource::Bytes(b"notes".to_vec()),
        name: Some("notes.txt".to_owned()),
    };
    let pdf =
        Data { media_type: "application/pdf".to_owned(), source: DataSource::Bytes(vec![4]), name: None };
    let mut ada = Message::new(Role::User, vec![text("look"), Block::Data(image()), Block::Data(link)]);
    ada.name = Some("ada".to_owned());
    let redacted = json!({ "type": "redacted_thinking", "data": "enc" });
    let messages = [
        ada,
        Message::new(Role::User, vec![text("and"), Block::Data(notes), Block::Data(pdf)]),
        Message::new(
            Role::Assistant,
            vec![
                Block::Thinking { text: "hm".to_owned(), signature: Some("sig".to_owned()) },
                Block::Thinking { text: "unsigned".to_owned(), signature: None },
                Block::Other { name: "redacted-thinking".to_owned(), json: redacted },
                Block::Other { name: "elsewhere".to_owned(), json: json!({ "type": "other" }) },
                text("Two calls."),
                call("call-1", r#"{"a": 1}"#),
                hint("between calls"),
                call("call:2", r#"{"a": "#),
            ],
        ),
        Message::new(Role::User, vec![hint("before the results")]),
        result(
            "call-1",
            ToolState::Success,
            vec![
                ResultPart::text("seen"),
                ResultPart::Other { name: "resource-link".to_owned(), json: json!({ "uri": "demo://far" }) },
                ResultPart::text("once"),
                ResultPart::Data(image()),
            ],
        ),
        result("call:2", ToolState::Error, vec![ResultPart::text("the arguments are malformed")]),
        Message::user("go on"),
        Message::new(Role::Assistant, vec![Block::Thinking { text: "only".to_owned(), signature: None }]),
    ];
    let data = request.edit();
    data.messages = Arc::new(messages.into_iter().map(Arc::new).collect());
    data.system_prompt = Some("Be brief.".to_owned());
    data.tools = vec![tool("add")].into();
    data.tool_choice = ToolChoice::Named("add".to_owned());
    data.output_schema = Some(json!({ "type": "object", "properties": {}, "additionalProperties": false }));
    data.parameters = parameters(json!({
        "temperature": 0.5, "top-p": 0.9, "max-tokens": 100, "stop": "END", "seed": 7,
        "reasoning-effort": "low", "top_k": 3, "stream_options": null,
    }));
    request
}

fn parameters(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// The body that a model of this protocol sends.
async fn sent(wire: Wire, request: ModelRequest) -> Value {
    let server = Server::start([Reply::of("")]).await;
    let _ = ask(&*wire.model(&server.url), request).await;
    server.received().pop().expect("a request").body
}

#[tokio::test]
async fn everything_finds_its_place() {
    let openai = sent(Wire::OpenAi, everything()).await;
    insta::assert_snapshot!("openai", serde_json::to_string_pretty(&openai).expect("JSON"));
    let anthropic = sent(Wire::Anthropic, everything()).await;
    insta::assert_snapshot!("anthropic", serde_json::to_string_pretty(&anthropic).expect("JSON"));
}

#[tokio::test]
async fn every_tool_choice_is_said_in_the_words_of_the_protocol() {
    let cases = [
        (ToolChoice::Auto, json!("auto"), json!({ "type": "auto" })),
        (ToolChoice::None, json!("none"), json!({ "type": "none" })),
        (ToolChoice::Required, json!("required"), json!({ "type": "any" })),
    ];
    for (choice, openai, anthropic) in cases {
        let mut request = question();
        request.edit().tool_choice = choice;
        assert_eq!(sent(Wire::OpenAi, request.clone()).await["tool_choice"], openai);
        assert_eq!(sent(Wire::Anthropic, request).await["tool_choice"], anthropic);
    }
    assert_eq!(sent(Wire::OpenAi, ModelRequest::to("main")).await.get("tool_choice"), None);
}

#[tokio::test]
async fn a_parameter_of_the_hosts_own_is_refused() {
    let mut request = question();
    request.edit().parameters = parameters(json!({ "stream": false }));
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let error =
            ask(&*wire.model("http://127.0.0.1:9"), request.clone()).await.result.expect_err("refused");
        assert_eq!(error.kind, ErrorKind::InvalidInput);
        assert_eq!(error.message, "parameter `stream` can't be set: it follows from the request");
    }
}

#[tokio::test]
async fn data_without_a_place_is_refused() {
    let song = Data { media_type: "audio/wav".to_owned(), source: DataSource::Bytes(vec![1]), name: None };
    let mut request = ModelRequest::to("main");
    request.push_message(Message::new(Role::User, vec![Block::Data(song)]));
    let error = ask(&*Wire::Anthropic.model("http://127.0.0.1:9"), request.clone())
        .await
        .result
        .expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert_eq!(error.message, "provider `anthropic` takes images, PDF and text, not `audio/wav`");
    let part = &sent(Wire::OpenAi, request).await["messages"][0]["content"][0];
    assert_eq!(part, &json!({ "type": "input_audio", "input_audio": { "data": "AQ==", "format": "wav" } }));
}

#[tokio::test]
async fn key_and_headers_are_sent_to_the_right_address() {
    let heads = [("", "/chat/completions", "/v1/messages"), ("/v1/", "/v1/chat/completions", "/v1/messages")];
    for (base, openai_path, anthropic_path) in heads {
        let server = Server::start([Reply::of(""), Reply::of("")]).await;
        let mut config = ServerConfig::new("m", format!("{}{base}", server.url));
        config.api_key = Some(Secret::new("key-1"));
        config.http.headers = vec![("X-Team".to_owned(), Secret::new("blue"))];
        let _ = ask(&OpenAiModel::new(config).expect("a model"), question()).await;
        let mut config = ServerConfig::new("m", format!("{}{base}", server.url));
        config.api_key = Some(Secret::new("key-2"));
        let _ = ask(&AnthropicModel::new(config).expect("a model"), question()).await;

        let received = server.received();
        let has = |index: usize, line: &str| received[index].head.lines().any(|known| known == line);
        assert!(has(0, &format!("POST {openai_path} HTTP/1.1")), "{}", received[0].head);
        assert!(has(0, "authorization: Bearer key-1") && has(0, "x-team: blue"), "{}", received[0].head);
        assert!(has(1, &format!("POST {anthropic_path} HTTP/1.1")), "{}", received[1].head);
        assert!(
            has(1, "x-api-key: key-2") && has(1, "anthropic-version: 2023-06-01"),
            "{}",
            received[1].head
        );
    }
}

#[tokio::test]
async fn an_id_that_the_conversation_has_is_not_given_again() {
    let body = r#"{"choices":[{"message":{"tool_calls":[{"id":"call-1","function":{"name":"add","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#;
    let server = Server::start([Reply::of(body)]).await;
    let outcome = ask(&*Wire::OpenAi.model(&server.url), {
        let mut request = everything();
        request.edit().tool_choice = ToolChoice::Auto;
        request
    })
    .await;
    let response = outcome.result.expect("an answer");
    let ids: Vec<_> = response.message.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call-tool-0"]);
}
