//! Writes a request as a Chat Completions body.

mod schema;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::error::{Error, ErrorKind};
use crate::message::{
    Block, Data, DataSource, Role, ToolCall, ToolChoice, ToolDefinition, ToolResult, model_text,
};
use crate::models::parameters::{WellKnown, apply};
use crate::models::transcript::{Piece, ResultData, Turn, arguments, turns};
use crate::request::ModelRequest;

/// The longest tool-call id that the inventor's service takes, in characters.
const MAX_CALL_ID: usize = 40;

/// What this server wants in its own way.
#[derive(Clone, Debug)]
pub(super) struct Dialect {
    pub(super) model: String,
    /// Whether the server is the inventor's own.
    pub(super) inventor: bool,
}

/// The body of a request.
///
/// # Errors
/// `invalid-input` for a parameter that can't be set, `unsupported` for data that the protocol has no place for.
pub(super) fn body(request: &ModelRequest, dialect: &Dialect) -> Result<Value, Error> {
    let mut body = Map::new();
    body.insert("model".to_owned(), dialect.model.clone().into());
    body.insert("messages".to_owned(), Value::Array(messages(request)?));
    body.insert("stream".to_owned(), true.into());
    body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        body.insert("tool_choice".to_owned(), tool_choice(&request.tool_choice));
    }
    if let Some(schema) = &request.output_schema {
        body.insert("response_format".to_owned(), schema::response_format(schema));
    }
    apply(&mut body, &request.parameters, well_known(dialect), RESERVED)?;
    Ok(Value::Object(body))
}

pub(super) const RESERVED: &[&str] =
    &["model", "messages", "stream", "tools", "tool_choice", "response_format", "n"];

fn well_known(dialect: &Dialect) -> WellKnown<'static> {
    const COMMON: WellKnown<'static> = &[
        ("top-p", &["top_p"]),
        ("reasoning-effort", &["reasoning_effort"]),
        ("max-tokens", &["max_tokens"]),
    ];
    const INVENTOR: WellKnown<'static> = &[
        ("top-p", &["top_p"]),
        ("reasoning-effort", &["reasoning_effort"]),
        ("max-tokens", &["max_completion_tokens"]),
    ];
    if dialect.inventor { INVENTOR } else { COMMON }
}

fn messages(request: &ModelRequest) -> Result<Vec<Value>, Error> {
    let mut messages = Vec::new();
    if let Some(prompt) = request.system_prompt.as_ref().filter(|prompt| !prompt.is_empty()) {
        messages.push(json!({ "role": "system", "content": prompt }));
    }
    for turn in turns(&request.messages, ResultData::After) {
        match turn.role {
            Role::Tool => messages.extend(turn.pieces.iter().filter_map(result)),
            Role::Assistant => messages.extend(assistant(&turn)),
            Role::User => messages.extend(spoken("user", &turn)?),
            Role::System => messages.extend(spoken("system", &turn)?),
        }
    }
    Ok(messages)
}

fn spoken(role: &str, turn: &Turn<'_>) -> Result<Option<Value>, Error> {
    let mut parts = Vec::new();
    for piece in &turn.pieces {
        parts.extend(part(piece)?);
    }
    let only_text = parts.iter().all(|part| part.get("text").is_some());
    let content = match parts.as_slice() {
        [] => return Ok(None),
        // Many servers take nothing but a string where a string will do.
        parts if only_text => texts(parts).into(),
        _ => Value::Array(parts),
    };
    let mut message = json!({ "role": role, "content": content });
    if let Some(name) = turn.name.filter(|name| is_plain_name(name)) {
        set(&mut message, "name", name.into());
    }
    Ok(Some(message))
}

fn texts(parts: &[Value]) -> String {
    let texts: Vec<_> = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect();
    texts.join("\n\n")
}

fn part(piece: &Piece<'_>) -> Result<Option<Value>, Error> {
    Ok(match piece {
        Piece::Note(text) | Piece::Block(Block::Text { text }) => {
            Some(json!({ "type": "text", "text": text }))
        }
        Piece::Block(Block::Data(data)) => Some(data_part(data)?),
        Piece::Data(data) => Some(data_part(data)?),
        Piece::Block(_) => None,
    })
}

fn data_part(data: &Data) -> Result<Value, Error> {
    let kind = data.media_type.split('/').next().unwrap_or_default();
    Ok(match (kind, &data.source) {
        ("image", DataSource::Url(url)) => json!({ "type": "image_url", "image_url": { "url": url } }),
        ("image", DataSource::Bytes(bytes)) => {
            json!({ "type": "image_url", "image_url": { "url": data_url(&data.media_type, bytes) } })
        }
        ("audio", DataSource::Bytes(bytes)) => json!({
            "type": "input_audio",
            "input_audio": { "data": STANDARD.encode(bytes), "format": audio_format(&data.media_type) },
        }),
        ("text", DataSource::Bytes(bytes)) => {
            json!({ "type": "text", "text": String::from_utf8_lossy(bytes) })
        }
        (_, DataSource::Bytes(bytes)) => json!({
            "type": "file",
            "file": {
                "filename": data.name.as_deref().unwrap_or("file"),
                "file_data": data_url(&data.media_type, bytes),
            },
        }),
        (_, DataSource::Url(_)) => {
            let what = format!("`{}` can't be sent by address, only as bytes", data.media_type);
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
    })
}

fn data_url(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", STANDARD.encode(bytes))
}

fn audio_format(media_type: &str) -> &str {
    match media_type {
        "audio/mpeg" => "mp3",
        "audio/x-wav" | "audio/wave" => "wav",
        other => other.split_once('/').map_or(other, |(_, format)| format),
    }
}

/// What the model said. Its thoughts stay with the provider that they came from.
fn assistant(turn: &Turn<'_>) -> Option<Value> {
    let mut text = String::new();
    let mut calls = Vec::new();
    for piece in &turn.pieces {
        match piece {
            Piece::Block(Block::Text { text: piece }) => text.push_str(piece),
            Piece::Block(Block::ToolCall(call)) => calls.push(tool_call(call)),
            Piece::Block(Block::Data(data)) => text.extend(["[", &data.media_type, "]"]),
            _ => {}
        }
    }
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() { Value::Null } else { text.into() };
    let mut message = json!({ "role": "assistant", "content": content });
    if !calls.is_empty() {
        set(&mut message, "tool_calls", Value::Array(calls));
    }
    Some(message)
}

fn tool_call(call: &ToolCall) -> Value {
    // As the model wrote them where possible, so that the provider's cache still fits.
    let whole = crate::models::answer::is_whole(&call.arguments);
    let arguments =
        if whole { call.arguments.clone() } else { Value::Object(arguments(&call.arguments)).to_string() };
    json!({
        "id": call_id(&call.id),
        "type": "function",
        "function": { "name": call.name, "arguments": arguments },
    })
}

fn result(piece: &Piece<'_>) -> Option<Value> {
    let Piece::Block(Block::ToolResult(ToolResult { call_id: id, content, .. })) = piece else { return None };
    Some(json!({ "role": "tool", "tool_call_id": call_id(id), "content": model_text(content) }))
}

/// An id as the server takes it. Ids of other providers may be longer; their ends tell them apart.
fn call_id(id: &str) -> String {
    let surplus = id.chars().count().saturating_sub(MAX_CALL_ID);
    id.chars().skip(surplus).collect()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}

fn is_plain_name(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    (1..=64).contains(&name.len()) && name.chars().all(plain)
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(object) = object {
        object.insert(key.to_owned(), value);
    }
}
