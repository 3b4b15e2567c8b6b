//! What one step asks of the model, and what it comes to.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::shared;
use crate::error::{Error, ErrorKind};
use crate::message::{Block, FinishReason, Message, Role, ToolChoice, ToolDefinition, Usage};

/// The data of a [`ReasoningRequest`].
#[derive(Clone, Debug, Default)]
pub struct ReasoningRequestData {
    /// The step, from 1.
    pub step: u32,
    /// Whether the model may call tools.
    pub tool_choice: ToolChoice,
    /// The names of the tools to be offered.
    pub tools: Vec<String>,
    /// What could be offered; an offer of another name is refused.
    pub catalogue: Arc<Vec<ToolDefinition>>,
    /// Source and text of hints for this step alone.
    pub hints: Vec<(String, String)>,
    /// Parameters of the model request.
    pub parameters: Map<String, Value>,
}

shared! {
    /// One step's reasoning: what is to be asked of the model.
    ReasoningRequest of ReasoningRequestData
}

impl ReasoningRequest {
    /// Offers only these tools.
    ///
    /// # Errors
    /// `not-found` for a name that is not in the catalogue, `invalid-input` for one that is given twice; nothing
    /// changes then.
    pub fn set_tools(&mut self, names: Vec<String>) -> Result<(), Error> {
        if let Some(unknown) =
            names.iter().find(|name| !self.catalogue.iter().any(|tool| &tool.name == *name))
        {
            return Err(Error::new(ErrorKind::NotFound, format!("no tool `{unknown}` in the catalogue")));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(Error::invalid(format!("tool `{twice}` is offered twice")));
        }
        self.edit().tools = names;
        Ok(())
    }
}

/// The data of a [`ReasoningResponse`].
#[derive(Clone, Debug)]
pub struct ReasoningResponseData {
    /// What the model said.
    pub message: Message,
    /// Tokens of the model call, when there was one and it was reported.
    pub usage: Option<Usage>,
    /// Why the model stopped.
    pub finish_reason: FinishReason,
}

shared! {
    /// What one step's reasoning came to.
    ReasoningResponse of ReasoningResponseData
}

impl ReasoningResponse {
    /// An answer with this content, by no model.
    pub fn answer(content: Vec<Block>) -> Self {
        let finish_reason = FinishReason::of(&content);
        let message = Message::new(Role::Assistant, content);
        Self::new(ReasoningResponseData { message, usage: None, finish_reason })
    }
}
