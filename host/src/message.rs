//! Messages, and what they are made of.

pub(crate) mod base64_text;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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

/// A model's wish to have a tool run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolCall {
    /// Unique within the conversation.
    pub id: String,
    /// The tool.
    pub name: String,
    /// A JSON object as the model wrote it; may be malformed.
    pub arguments: String,
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolState {
    /// The tool answered.
    Success,
    /// The tool failed, or the call could not be run.
    Error,
    /// A rule, a layer or a person refused it.
    Denied,
    /// The reply was aborted before it ended.
    Interrupted,
    /// It waits for a person or for a program outside. No result yet, and no error.
    Parked,
}

/// What a tool call ended with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolResult {
    /// The call that this answers.
    pub call_id: String,
    /// The tool that ran.
    pub name: String,
    /// How it ended.
    pub state: ToolState,
    /// What it answered.
    pub content: Vec<ResultPart>,
}

/// One piece of what a tool answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ResultPart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image, a sound or a file.
    Data(Data),
}

impl ResultPart {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// The text parts of a tool's answer, joined.
pub fn result_text(parts: &[ResultPart]) -> String {
    let mut text = String::new();
    for part in parts {
        if let ResultPart::Text { text: piece } = part {
            text.push_str(piece);
        }
    }
    text
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolDefinition {
    /// What the model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// A JSON Schema of an object.
    pub parameters: Value,
    /// Whether calls may run beside other calls of the same step.
    pub parallel: bool,
    /// Never sent to a model.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// Whether the model may, must or must not call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool.
    None,
    /// Some tool.
    Required,
    /// Exactly this tool.
    Named(String),
}

/// Tokens of one or of several model calls. An absent count is unknown, which is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Usage {
    /// All input tokens, those read from a cache included.
    pub input_tokens: Option<u32>,
    /// Output tokens.
    pub output_tokens: Option<u32>,
    /// Input tokens that were read from the provider's cache.
    pub cache_read_tokens: Option<u32>,
    /// Input tokens that were written to the provider's cache.
    pub cache_write_tokens: Option<u32>,
    /// Output tokens spent on thinking.
    pub reasoning_tokens: Option<u32>,
    /// Other counts that the provider reports, by its own names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<(String, u32)>,
}

impl Usage {
    /// Adds the counts of another call. A count is unknown only while no call has reported it.
    pub fn add(&mut self, other: &Self) {
        fn sum(into: &mut Option<u32>, from: Option<u32>) {
            if let Some(from) = from {
                *into = Some(into.unwrap_or(0).saturating_add(from));
            }
        }
        sum(&mut self.input_tokens, other.input_tokens);
        sum(&mut self.output_tokens, other.output_tokens);
        sum(&mut self.cache_read_tokens, other.cache_read_tokens);
        sum(&mut self.cache_write_tokens, other.cache_write_tokens);
        sum(&mut self.reasoning_tokens, other.reasoning_tokens);
        for (name, count) in &other.details {
            match self.details.iter_mut().find(|(known, _)| known == name) {
                Some((_, total)) => *total = total.saturating_add(*count),
                None => self.details.push((name.clone(), *count)),
            }
        }
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// The output limit was reached. Calls whose arguments were cut are never run.
    Length,
    /// It asks for tools.
    ToolCalls,
    /// The provider held the rest back.
    ContentFilter,
    /// Anything else.
    Other,
}

impl FinishReason {
    /// Why a model that said this stopped: for its tool calls, or as it was done.
    pub fn of(content: &[Block]) -> Self {
        let calls = content.iter().any(|block| matches!(block, Block::ToolCall(_)));
        if calls { Self::ToolCalls } else { Self::Stop }
    }
}
