//! One execution of a tool.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::shared;
use crate::message::{ResultPart, ToolCall, ToolDefinition, ToolState, result_text};

/// The data of a [`ToolRequest`].
#[derive(Clone, Debug)]
pub struct ToolRequestData {
    /// The call: id, tool and arguments.
    pub call: ToolCall,
    /// The tools that the request to the model offered.
    pub offered: Arc<Vec<ToolDefinition>>,
    /// What a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// One tool execution.
    ToolRequest of ToolRequestData
}

impl ToolRequest {
    /// The definition of the named tool, if it is offered.
    pub fn definition(&self) -> Option<&ToolDefinition> {
        self.offered.iter().find(|tool| tool.name == self.call.name)
    }
}

/// The data of a [`ToolResponse`].
#[derive(Clone, Debug)]
pub struct ToolResponseData {
    /// How the call ended.
    pub state: ToolState,
    /// What the tool answered.
    pub content: Vec<ResultPart>,
    /// What the tool or a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// What a tool answered.
    ToolResponse of ToolResponseData
}

impl ToolResponse {
    /// An answer of one text.
    pub fn text_answer(state: ToolState, text: impl Into<String>) -> Self {
        Self::new(ToolResponseData { state, content: vec![ResultPart::text(text)], metadata: Map::new() })
    }

    /// The text parts, joined.
    pub fn text(&self) -> String {
        result_text(&self.content)
    }
}
