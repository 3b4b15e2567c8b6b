//! What is read at the end of a reply: the draft of its answer, and its summary.

use super::handle::handle;
use crate::{Error, Message, Outcome, Usage};

/// The data of a [`Draft`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct DraftData {
    pub message: Message,
    pub structured_output: Option<String>,
    pub attempt: u32,
    pub max_attempts: u32,
}

handle! {
    /// The final answer before it goes out.
    Draft of DraftData
}

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl Draft {
    pub fn message(&self) -> Message {
        self.0.borrow().message.clone()
    }

    pub fn text(&self) -> String {
        self.0.borrow().message.text()
    }

    pub fn structured_output(&self) -> Option<String> {
        self.0.borrow().structured_output.clone()
    }

    pub fn attempt(&self) -> u32 {
        self.0.borrow().attempt
    }

    pub fn max_attempts(&self) -> u32 {
        self.0.borrow().max_attempts
    }
}

/// The data of a [`TurnSummary`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct TurnSummaryData {
    pub outcome: Outcome,
    pub message: Option<Message>,
    pub error: Option<Error>,
    pub usage: Usage,
    pub steps: u32,
    pub tool_calls: u32,
    pub duration_ms: u32,
}

handle! {
    /// How a reply ended, for those who watch.
    TurnSummary of TurnSummaryData
}

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl TurnSummary {
    pub fn outcome(&self) -> Outcome {
        self.0.borrow().outcome
    }

    pub fn message(&self) -> Option<Message> {
        self.0.borrow().message.clone()
    }

    pub fn error(&self) -> Option<Error> {
        self.0.borrow().error.clone()
    }

    pub fn usage(&self) -> Usage {
        self.0.borrow().usage.clone()
    }

    pub fn steps(&self) -> u32 {
        self.0.borrow().steps
    }

    pub fn tool_calls(&self) -> u32 {
        self.0.borrow().tool_calls
    }

    pub fn duration_ms(&self) -> u32 {
        self.0.borrow().duration_ms
    }
}
