//! Writes a request as a Messages body.

use serde_json::{Map, Value, json};

use super::content::{is_own, plain, result, tool_use};
use crate::error::Error;
use crate::message::{Block, Role, ToolChoice, ToolDefinition};
use crate::models::parameters::{apply, put};
use crate::models::transcript::{Piece, ResultData, Turn, turns};
use crate::request::ModelRequest;

/// The output limit where the request names none; the protocol wants one.
const MAX_TOKENS: u32 = 4096;

/// The body of a request.
///
/// # Errors
/// `invalid-input` for a parameter that can't be set, `unsupported` for data that the protocol has no place for.
pub(super) fn body(request: &ModelRequest, model: &str) -> Result<Value, Error> {
    let (system, messages) = conversation(request)?;
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("max_tokens".to_owned(), MAX_TOKENS.into());
    body.insert("stream".to_owned(), true.into());
    if !system.is_empty() {
        body.insert("system".to_owned(), system.join("\n\n").into());
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        body.insert("tool_choice".to_owned(), tool_choice(&request.tool_choice));
    }
    if let Some(schema) = &request.output_schema {
        put(&mut body, &["output_config", "format"], &json!({ "type": "json_schema", "schema": schema }));
    }
    let mut parameters = request.parameters.clone();
    // The protocol has no seed, and a seed is a wish.
    parameters.shift_remove("seed");
    if let Some(Value::String(stop)) = parameters.get("stop") {
        let stops = json!([stop]);
        parameters.insert("stop".to_owned(), stops);
    }
    apply(&mut body, &parameters, WELL_KNOWN, RESERVED)?;
    Ok(Value::Object(body))
}

const WELL_KNOWN: &[(&str, &[&str])] = &[
    ("top-p", &["top_p"]),
    ("max-tokens", &["max_tokens"]),
    ("stop", &["stop_sequences"]),
    ("reasoning-effort", &["output_config", "effort"]),
];

pub(super) const RESERVED: &[&str] = &["model", "messages", "stream", "system", "tools", "tool_choice"];

/// The system prompt in its parts, and the messages: users and assistants by turns.
fn conversation(request: &ModelRequest) -> Result<(Vec<String>, Vec<Value>), Error> {
    let mut system: Vec<_> =
        request.system_prompt.iter().filter(|prompt| !prompt.is_empty()).cloned().collect();
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in turns(&request.messages, ResultData::Inside) {
        let role = match turn.role {
            Role::System => {
                system.extend(texts(&turn));
                continue;
            }
            Role::Assistant => "assistant",
            Role::User | Role::Tool => "user",
        };
        let content = content(&turn)?;
        match messages.last_mut() {
            _ if content.is_empty() => {}
            Some((last, before)) if *last == role => before.extend(content),
            _ => messages.push((role, content)),
        }
    }
    let messages = messages.into_iter().map(|(role, content)| json!({ "role": role, "content": content }));
    Ok((system, messages.collect()))
}

fn texts(turn: &Turn<'_>) -> Vec<String> {
    let text = |piece: &Piece<'_>| match piece {
        Piece::Note(text) | Piece::Block(Block::Text { text }) => Some(text.clone()),
        _ => None,
    };
    turn.pieces.iter().filter_map(text).collect()
}

fn content(turn: &Turn<'_>) -> Result<Vec<Value>, Error> {
    let mut content = Vec::new();
    for piece in &turn.pieces {
        content.extend(match piece {
            Piece::Note(text) => plain(text),
            Piece::Data(data) => Some(super::content::data(data)?),
            Piece::Block(block) => of_block(block)?,
        });
    }
    Ok(content)
}

fn of_block(block: &Block) -> Result<Option<Value>, Error> {
    Ok(match block {
        Block::Text { text } | Block::Hint { text, .. } => plain(text),
        // Without the proof that it is the model's own a thought is refused.
        Block::Thinking { text, signature } => signature
            .as_ref()
            .map(|signature| json!({ "type": "thinking", "thinking": text, "signature": signature })),
        Block::Data(data) => Some(super::content::data(data)?),
        Block::ToolCall(call) => Some(tool_use(call)),
        Block::ToolResult(answer) => Some(result(answer)?),
        Block::Other { name, json } => is_own(name, json).then(|| json.clone()),
    })
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!({ "type": "auto" }),
        ToolChoice::None => json!({ "type": "none" }),
        ToolChoice::Required => json!({ "type": "any" }),
        ToolChoice::Named(name) => json!({ "type": "tool", "name": name }),
    }
}
