//! Messages and their blocks.

use std::sync::Arc;

use super::json::{json_from_guest, object_from_guest, object_to_guest};
use super::same_cases;
use crate::error::Error;
use crate::message::{Block, Data, DataSource, Message, ResultPart, Role, ToolCall, ToolResult, ToolState};
use crate::sandbox::bindings::cepa::middleware::types as wit;

same_cases!(role_to_guest, role_from_guest, Role, wit::Role { System, User, Assistant, Tool });
same_cases!(
    state_to_guest,
    state_from_guest,
    ToolState,
    wit::ToolState { Success, Error, Denied, Interrupted, Parked }
);

fn data_to_guest(data: Data) -> wit::DataBlock {
    wit::DataBlock {
        media_type: data.media_type,
        source: match data.source {
            DataSource::Bytes(bytes) => wit::DataSource::Bytes(bytes),
            DataSource::Url(url) => wit::DataSource::Url(url),
        },
        name: data.name,
    }
}

fn data_from_guest(data: wit::DataBlock) -> Data {
    Data {
        media_type: data.media_type,
        source: match data.source {
            wit::DataSource::Bytes(bytes) => DataSource::Bytes(bytes),
            wit::DataSource::Url(url) => DataSource::Url(url),
        },
        name: data.name,
    }
}

pub(in crate::sandbox) fn call_to_guest(call: ToolCall) -> wit::ToolCall {
    wit::ToolCall { id: call.id, name: call.name, arguments: call.arguments }
}

pub(super) fn call_from_guest(call: wit::ToolCall) -> ToolCall {
    ToolCall { id: call.id, name: call.name, arguments: call.arguments }
}

pub(in crate::sandbox) fn parts_to_guest(parts: Vec<ResultPart>) -> Vec<wit::ResultPart> {
    parts
        .into_iter()
        .map(|part| match part {
            ResultPart::Text { text } => wit::ResultPart::Text(text),
            ResultPart::Data(data) => wit::ResultPart::Data(data_to_guest(data)),
            ResultPart::Other { name, json } => {
                wit::ResultPart::Other(wit::OtherPart { name, json: json.to_string() })
            }
        })
        .collect()
}

fn part_from_guest(part: wit::ResultPart) -> Result<ResultPart, Error> {
    Ok(match part {
        wit::ResultPart::Text(text) => ResultPart::Text { text },
        wit::ResultPart::Data(data) => ResultPart::Data(data_from_guest(data)),
        wit::ResultPart::Other(other) => {
            let json = json_from_guest("the part's `json`", &other.json)?;
            ResultPart::Other { name: other.name, json }
        }
    })
}

pub(in crate::sandbox) fn parts_from_guest(parts: Vec<wit::ResultPart>) -> Result<Vec<ResultPart>, Error> {
    parts.into_iter().map(part_from_guest).collect()
}

fn block_to_guest(block: Block) -> wit::ContentBlock {
    match block {
        Block::Text { text } => wit::ContentBlock::Text(text),
        Block::Thinking { text, signature } => {
            wit::ContentBlock::Thinking(wit::ThinkingBlock { text, signature })
        }
        Block::Data(data) => wit::ContentBlock::Data(data_to_guest(data)),
        Block::Hint { source, text } => wit::ContentBlock::Hint(wit::HintBlock { source, text }),
        Block::ToolCall(call) => wit::ContentBlock::ToolCall(call_to_guest(call)),
        Block::ToolResult(result) => wit::ContentBlock::ToolResult(wit::ToolResult {
            call_id: result.call_id,
            name: result.name,
            state: state_to_guest(result.state),
            content: parts_to_guest(result.content),
        }),
        Block::Other { name, json } => {
            wit::ContentBlock::Other(wit::OtherBlock { name, json: json.to_string() })
        }
    }
}

fn block_from_guest(block: wit::ContentBlock) -> Result<Block, Error> {
    Ok(match block {
        wit::ContentBlock::Text(text) => Block::Text { text },
        wit::ContentBlock::Thinking(thinking) => {
            Block::Thinking { text: thinking.text, signature: thinking.signature }
        }
        wit::ContentBlock::Data(data) => Block::Data(data_from_guest(data)),
        wit::ContentBlock::Hint(hint) => Block::Hint { source: hint.source, text: hint.text },
        wit::ContentBlock::ToolCall(call) => Block::ToolCall(call_from_guest(call)),
        wit::ContentBlock::ToolResult(result) => Block::ToolResult(ToolResult {
            call_id: result.call_id,
            name: result.name,
            state: state_from_guest(result.state),
            content: parts_from_guest(result.content)?,
        }),
        wit::ContentBlock::Other(other) => {
            let json = json_from_guest("the block's `json`", &other.json)?;
            Block::Other { name: other.name, json }
        }
    })
}

pub(in crate::sandbox) fn content_from_guest(content: Vec<wit::ContentBlock>) -> Result<Vec<Block>, Error> {
    content.into_iter().map(block_from_guest).collect()
}

pub(in crate::sandbox) fn message_to_guest(message: Message) -> wit::Message {
    wit::Message {
        id: message.id,
        role: role_to_guest(message.role),
        name: message.name,
        content: message.content.into_iter().map(block_to_guest).collect(),
        metadata: object_to_guest(message.metadata),
    }
}

pub(in crate::sandbox) fn message_from_guest(message: wit::Message) -> Result<Message, Error> {
    Ok(Message {
        id: message.id,
        role: role_from_guest(message.role),
        name: message.name,
        content: content_from_guest(message.content)?,
        metadata: object_from_guest("the message's `metadata`", &message.metadata)?,
    })
}

pub(in crate::sandbox) fn messages_from_guest(messages: Vec<wit::Message>) -> Result<Vec<Message>, Error> {
    messages.into_iter().map(message_from_guest).collect()
}

/// One after another, as there may be more than the guest may have.
pub(in crate::sandbox) fn messages_to_guest(messages: &[Arc<Message>]) -> impl Iterator<Item = wit::Message> {
    messages.iter().map(|message| message_to_guest(Message::clone(message)))
}
