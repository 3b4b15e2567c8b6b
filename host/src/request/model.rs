//! One call of a model.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::shared;
use crate::error::Error;
use crate::message::{Block, FinishReason, Message, Role, ToolChoice, ToolDefinition, Usage, text_of};

/// The conversation as a request holds it: a list of shared messages.
pub type Messages = Arc<Vec<Arc<Message>>>;

/// The data of a [`ModelRequest`].
#[derive(Clone, Debug, Default)]
pub struct ModelRequestData {
    /// The alias of the model in the manifest.
    pub model: String,
    /// The assembled system prompt.
    pub system_prompt: Option<String>,
    /// The conversation.
    pub messages: Messages,
    /// The offered tools.
    pub tools: Arc<Vec<ToolDefinition>>,
    /// Whether the model may call them.
    pub tool_choice: ToolChoice,
    /// The JSON Schema that the answer must match.
    pub output_schema: Option<Value>,
    /// `temperature`, `top-p`, `max-tokens`, `stop`, `seed`, `reasoning-effort`, or a name of the provider's own.
    pub parameters: Map<String, Value>,
    /// Whether a layer made this call for itself.
    pub internal: bool,
    /// What a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// One request to a model.
    ModelRequest of ModelRequestData
}

impl ModelRequest {
    /// An empty request to this model.
    pub fn to(model: impl Into<String>) -> Self {
        Self::new(ModelRequestData { model: model.into(), ..ModelRequestData::default() })
    }

    /// The message at an index, or an error that names the index and the count.
    pub fn message(&self, index: u32) -> Result<&Arc<Message>, Error> {
        self.messages.get(index as usize).ok_or_else(|| out_of_range(index, self.messages.len()))
    }

    /// Puts a message before the one at `index`, which may be the count.
    pub fn insert_message(&mut self, index: u32, message: Message) -> Result<(), Error> {
        if index as usize > self.messages.len() {
            return Err(out_of_range(index, self.messages.len()));
        }
        Arc::make_mut(&mut self.edit().messages).insert(index as usize, Arc::new(message));
        Ok(())
    }

    /// Puts a message at the end.
    pub fn push_message(&mut self, message: Message) {
        Arc::make_mut(&mut self.edit().messages).push(Arc::new(message));
    }

    /// Replaces the message at an index.
    pub fn replace_message(&mut self, index: u32, message: Message) -> Result<(), Error> {
        self.message(index)?;
        if let Some(slot) = Arc::make_mut(&mut self.edit().messages).get_mut(index as usize) {
            *slot = Arc::new(message);
        }
        Ok(())
    }

    /// Removes the message at an index.
    pub fn remove_message(&mut self, index: u32) -> Result<(), Error> {
        self.message(index)?;
        Arc::make_mut(&mut self.edit().messages).remove(index as usize);
        Ok(())
    }
}

fn out_of_range(index: u32, count: usize) -> Error {
    Error::invalid(format!("message index {index} is out of range: there are {count} messages"))
}

/// The data of a [`ModelResponse`].
#[derive(Clone, Debug)]
pub struct ModelResponseData {
    /// The id of the model call; empty for an answer of a layer's own.
    pub id: String,
    /// The alias that answered.
    pub model: String,
    /// The name that the provider gave of the model.
    pub reported_model: Option<String>,
    /// `openai`, `anthropic`, `scripted`, or empty.
    pub provider: String,
    /// What the model said.
    pub message: Message,
    /// What it cost; absent when the provider reported nothing.
    pub usage: Option<Usage>,
    /// Why it stopped.
    pub finish_reason: FinishReason,
    /// What the provider or a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// What a model answered.
    ModelResponse of ModelResponseData
}

impl ModelResponse {
    /// An answer with this content, by no model.
    pub fn answer(content: Vec<Block>) -> Self {
        let finish_reason = FinishReason::of(&content);
        Self::new(ModelResponseData {
            id: String::new(),
            model: String::new(),
            reported_model: None,
            provider: String::new(),
            message: Message::new(Role::Assistant, content),
            usage: None,
            finish_reason,
            metadata: Map::new(),
        })
    }

    /// The text of the message.
    pub fn text(&self) -> String {
        text_of(&self.message.content)
    }
}
