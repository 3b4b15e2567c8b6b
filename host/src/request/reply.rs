//! The whole reply: what comes in, what comes out, and how it ended.

use serde_json::{Map, Value};

use super::{check_input, shared};
use crate::error::Error;
use crate::event::Outcome;
use crate::message::{Block, Message, Role, ToolChoice, Usage};

/// The data of a [`ReplyRequest`].
#[derive(Clone, Debug, Default)]
pub struct ReplyRequestData {
    /// The new messages; empty when a parked reply is resumed.
    pub input: Vec<Message>,
    /// Whether this goes on with a parked reply.
    pub resumed: bool,
    /// The JSON Schema that the final answer must match.
    pub output_schema: Option<Value>,
    /// Whether the model may call tools.
    pub tool_choice: ToolChoice,
    /// What the caller or a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// The input of one reply.
    ReplyRequest of ReplyRequestData
}

/// The data of a [`ReplyResponse`].
#[derive(Clone, Debug)]
pub struct ReplyResponseData {
    /// How the reply ended.
    pub outcome: Outcome,
    /// The final message, when there is one.
    pub message: Option<Message>,
    /// The answer as JSON, when the request asked for a schema.
    pub structured_output: Option<Value>,
    /// Why the reply failed.
    pub error: Option<Error>,
    /// Tokens of all model calls of the reply.
    pub usage: Usage,
    /// How many steps it took.
    pub steps: u32,
}

shared! {
    /// The result of one reply.
    ReplyResponse of ReplyResponseData
}

impl ReplyRequest {
    /// Takes other messages. A resumed reply has none.
    ///
    /// # Errors
    /// `invalid-input` for what can't be an input; nothing changes then.
    pub fn set_input(&mut self, messages: Vec<Message>) -> Result<(), Error> {
        self.check_input(&messages)?;
        self.edit().input = messages;
        Ok(())
    }

    /// Refuses what can't be the input of this reply.
    ///
    /// # Errors
    /// `invalid-input`.
    pub(crate) fn check_input(&self, messages: &[Message]) -> Result<(), Error> {
        let checked = match (self.resumed, messages) {
            (true, []) => Ok(()),
            (true, _) => Err("a reply that goes on takes none".to_owned()),
            (false, messages) => check_input(messages),
        };
        checked.map_err(|cause| Error::invalid(format!("the input can't be used: {cause}")))
    }
}

impl ReplyResponse {
    /// An answer with this content, by no model.
    pub fn answer(content: Vec<Block>) -> Self {
        Self::new(ReplyResponseData {
            outcome: Outcome::Replied,
            message: Some(Message::new(Role::Assistant, content)),
            structured_output: None,
            error: None,
            usage: Usage::default(),
            steps: 0,
        })
    }

    /// The text of the final message; empty when there is none.
    pub fn text(&self) -> String {
        self.message.as_ref().map(Message::text).unwrap_or_default()
    }
}

/// How a reply ended, for those who watch.
#[derive(Clone, Debug)]
pub struct TurnSummary {
    /// How it ended.
    pub outcome: Outcome,
    /// The final message.
    pub message: Option<Message>,
    /// Why it failed.
    pub error: Option<Error>,
    /// Tokens of all its model calls.
    pub usage: Usage,
    /// Its steps.
    pub steps: u32,
    /// The tool calls that ended during it.
    pub tool_calls: u32,
    /// From its start, in milliseconds.
    pub duration_ms: u32,
}
