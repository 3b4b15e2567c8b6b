//! Tools: calls, results, definitions.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Data;

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
    /// A part of another kind.
    Other {
        /// Its kind.
        name: String,
        /// Its content; a model is given it as JSON text.
        json: Value,
    },
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

/// What a model is given of a tool's answer beside its data: the text, and each part of another kind as JSON on a line
/// of its own.
pub fn model_text(parts: &[ResultPart]) -> String {
    let mut text = String::new();
    let mut after_json = false;
    for part in parts {
        let (piece, is_json) = match part {
            ResultPart::Text { text } => (Cow::Borrowed(text.as_str()), false),
            ResultPart::Other { json, .. } => (Cow::Owned(json.to_string()), true),
            ResultPart::Data(_) => continue,
        };
        if (is_json || after_json) && !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&piece);
        after_json = is_json;
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
