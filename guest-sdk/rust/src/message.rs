//! Making and reading messages.

use crate::{ContentBlock, Message, OtherPart, ResultPart, Role, ToolCall, ToolResult, Usage};

impl Message {
    /// A message of one role with this content. The host fills its id.
    pub fn new(role: Role, content: Vec<ContentBlock>) -> Self {
        Self { id: String::new(), role, name: None, content, metadata: String::new() }
    }

    /// A user message of one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![ContentBlock::Text(text.into())])
    }

    /// An assistant message of one text block.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, vec![ContentBlock::Text(text.into())])
    }

    /// The text blocks, joined.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The tool calls among the blocks, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            ContentBlock::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The tool results among the blocks, in order.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResult> {
        self.content.iter().filter_map(|block| match block {
            ContentBlock::ToolResult(result) => Some(result),
            _ => None,
        })
    }
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl ResultPart {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A part of another kind; `value` becomes its JSON.
    pub fn other(name: &str, value: &serde_json::Value) -> Self {
        Self::Other(OtherPart { name: name.to_owned(), json: value.to_string() })
    }
}

impl Usage {
    /// A usage of which nothing is known. Unknown is not zero.
    pub fn unknown() -> Self {
        Self {
            input_tokens: None,
            output_tokens: None,
            cache_read_tokens: None,
            cache_write_tokens: None,
            reasoning_tokens: None,
            details: Vec::new(),
        }
    }
}
