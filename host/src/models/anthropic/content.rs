//! The blocks of the Messages protocol.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::error::{Error, ErrorKind};
use crate::message::{Data, DataSource, ResultPart, ToolCall, ToolResult, ToolState};
use crate::models::transcript::arguments;

/// A text block; `None` for an empty text, which is refused.
pub(super) fn plain(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({ "type": "text", "text": text }))
}

/// The block of a tool call.
pub(super) fn tool_use(call: &ToolCall) -> Value {
    let input = arguments(&call.arguments);
    json!({ "type": "tool_use", "id": call_id(&call.id), "name": call.name, "input": input })
}

/// The block of a tool's answer, with what it holds besides text.
pub(super) fn result(result: &ToolResult) -> Result<Value, Error> {
    let mut content = Vec::new();
    for part in &result.content {
        content.extend(match part {
            ResultPart::Text { text } => plain(text),
            ResultPart::Data(part) => Some(data(part)?),
            ResultPart::Other { json, .. } => plain(&json.to_string()),
        });
    }
    let failed = !matches!(result.state, ToolState::Success | ToolState::Parked);
    let mut block =
        json!({ "type": "tool_result", "tool_use_id": call_id(&result.call_id), "content": content });
    if let Some(block) = block.as_object_mut().filter(|_| failed) {
        block.insert("is_error".to_owned(), true.into());
    }
    Ok(block)
}

/// The block of an image or a file.
pub(super) fn data(data: &Data) -> Result<Value, Error> {
    let media_type = data.media_type.as_str();
    let source = match &data.source {
        DataSource::Url(url) => json!({ "type": "url", "url": url }),
        DataSource::Bytes(bytes) if media_type.starts_with("text/") => {
            return Ok(json!({ "type": "text", "text": String::from_utf8_lossy(bytes) }));
        }
        DataSource::Bytes(bytes) => {
            json!({ "type": "base64", "media_type": media_type, "data": STANDARD.encode(bytes) })
        }
    };
    if media_type.starts_with("image/") {
        return Ok(json!({ "type": "image", "source": source }));
    }
    if media_type == "application/pdf" {
        return Ok(json!({ "type": "document", "source": source }));
    }
    let what = format!("provider `anthropic` takes images, PDF and text, not `{media_type}`");
    Err(Error::new(ErrorKind::Unsupported, what))
}

/// The name that a block of another kind has in a message: its type in kebab case.
pub(super) fn name_of(block: &Value) -> String {
    block.get("type").and_then(Value::as_str).unwrap_or_default().replace('_', "-")
}

/// Whether a block of another kind came from this protocol, so that it goes back as it came.
pub(super) fn is_own(name: &str, block: &Value) -> bool {
    !name.is_empty() && name == name_of(block)
}

/// An id as the server takes it; those of other providers may hold other characters.
fn call_id(id: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    id.chars().map(|character| if plain(character) { character } else { '_' }).collect()
}
