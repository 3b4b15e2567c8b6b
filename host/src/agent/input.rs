//! What a caller hands in: the input of a reply, and answers to what a reply waits for.

use serde_json::{Map, Value};

use crate::message::{Message, ResultPart, ToolCall, ToolChoice, ToolState};

/// The input of a reply.
#[derive(Clone, Debug, Default)]
pub struct ReplyInput {
    /// The new messages, of the roles user and assistant, without tool calls or results. At least one.
    pub messages: Vec<Message>,
    /// The JSON Schema that the final answer must match.
    pub output_schema: Option<Value>,
    /// Whether the model may call tools. `required` and a named tool hold until the first tool call.
    pub tool_choice: ToolChoice,
    /// Whom the agent acts for.
    pub actor: Option<String>,
    /// What layers may read.
    pub metadata: Map<String, Value>,
    /// Whether calls that wait for a person are given up. Without it, input to a parked session is an error.
    pub discard_pending: bool,
}

impl From<Vec<Message>> for ReplyInput {
    fn from(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }
}

impl From<Message> for ReplyInput {
    fn from(message: Message) -> Self {
        vec![message].into()
    }
}

impl From<&str> for ReplyInput {
    fn from(text: &str) -> Self {
        Message::user(text).into()
    }
}

impl From<String> for ReplyInput {
    fn from(text: String) -> Self {
        Message::user(text).into()
    }
}

/// An answer to one waiting call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It may run as it is.
    Approve {
        /// The id of the waiting call.
        call_id: String,
    },
    /// It may run like this. It is validated again, and the operator's denials still hold.
    Edit {
        /// The id of the waiting call.
        call_id: String,
        /// Another tool.
        name: Option<String>,
        /// The arguments, a JSON object as text.
        arguments: String,
    },
    /// It must not run; the model is told so.
    Reject {
        /// The id of the waiting call.
        call_id: String,
        /// Why, for the model.
        reason: Option<String>,
    },
    /// A program outside has run it.
    Result {
        /// The id of the waiting call.
        call_id: String,
        /// What came of it.
        content: Vec<ResultPart>,
        /// How it ended: success, error, denied or interrupted.
        state: ToolState,
    },
}

impl Answer {
    /// The call that it answers.
    pub fn call_id(&self) -> &str {
        match self {
            Self::Approve { call_id }
            | Self::Edit { call_id, .. }
            | Self::Reject { call_id, .. }
            | Self::Result { call_id, .. } => call_id,
        }
    }
}

/// A call that a parked reply waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The call as it would run.
    pub call: ToolCall,
    /// Why a person is asked; empty otherwise.
    pub reason: String,
    /// Whether a program outside runs it, so that a result is wanted and no confirmation.
    pub external: bool,
}
