//! Messages, and what they are made of.

pub(crate) mod base64_text;
mod tool;
mod usage;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use tool::{
    ResultPart, ToolCall, ToolChoice, ToolDefinition, ToolResult, ToolState, model_text, result_text,
};
pub use usage::{FinishReason, Usage};

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Instructions to the model. In no stored conversation.
    System,
    /// A person, or the program that speaks for one.
    User,
    /// The model.
    Assistant,
    /// The results of tool calls.
    Tool,
}

/// The key in a message's metadata that is `true` when an abort cut the message short.
pub const INTERRUPTED: &str = "interrupted";

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Message {
    /// Unique within the session.
    pub id: String,
    /// Who speaks.
    pub role: Role,
    /// The speaker's name, where the provider supports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is said, block by block.
    pub content: Vec<Block>,
    /// Stored with the message and never sent to a model.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Message {
    /// A message of one role with this content. The id is left for the session to fill.
    pub fn new(role: Role, content: Vec<Block>) -> Self {
        Self { id: String::new(), role, name: None, content, metadata: Map::new() }
    }

    /// A user message of one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Block::Text { text: text.into() }])
    }

    /// An assistant message of one text block.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, vec![Block::Text { text: text.into() }])
    }

    /// The text blocks, joined.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }

    /// The tool calls among the blocks, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The tool results among the blocks, in order.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResult> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        })
    }
}

/// The text blocks of a content, joined.
pub fn text_of(content: &[Block]) -> String {
    let mut text = String::new();
    for block in content {
        if let Block::Text { text: piece } = block {
            text.push_str(piece);
        }
    }
    text
}

/// One block of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Block {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// What a model thought before it answered.
    Thinking {
        /// The thought; empty when the provider hides it.
        text: String,
        /// The provider's proof that the text is its own; sent back unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// An image, a sound or a file.
    Data(Data),
    /// A remark of a layer to the model, which sees it as a user message.
    Hint {
        /// Who remarks.
        source: String,
        /// The remark.
        text: String,
    },
    /// A model's wish to have a tool run.
    ToolCall(ToolCall),
    /// What a tool call ended with.
    ToolResult(ToolResult),
    /// A block of another kind.
    Other {
        /// Its kind.
        name: String,
        /// Its content.
        json: Value,
    },
}

/// An image, a sound or a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Data {
    /// An IANA media type.
    pub media_type: String,
    /// Where the bytes are.
    pub source: DataSource,
    /// A file name, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Where the bytes of a [`Data`] are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataSource {
    /// The bytes themselves; base64 where they are written as text.
    #[serde(with = "base64_text")]
    Bytes(Vec<u8>),
    /// An address that the model's provider fetches.
    Url(String),
}
