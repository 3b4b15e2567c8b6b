//! Results and responses that the host writes itself.

use crate::error::Error;
use crate::event::Outcome;
use crate::message::{Message, ResultPart, ToolCall, ToolResult, ToolState};
use crate::request::{ReplyResponse, ReplyResponseData};
use crate::session::{CallState, OpenCall};

use super::turn::Turn;

/// The result of a call that ends without its tool. Says why, and whether something may have happened.
pub(super) fn interrupted(open: &OpenCall, why: &str) -> ToolResult {
    let fate = match open.state {
        CallState::Running => "it may or may not have taken effect",
        CallState::Submitted => "a program outside may have run it",
        CallState::Pending | CallState::Asking | CallState::Confirmed => "it did not run",
    };
    result(&open.call, ToolState::Interrupted, format!("interrupted: {why}; {fate}"))
}

/// The result of a call that can't be run as it is.
pub(super) fn refusal(call: &ToolCall, fault: String) -> ToolResult {
    result(call, ToolState::Error, fault)
}

fn result(call: &ToolCall, state: ToolState, text: String) -> ToolResult {
    ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        state,
        content: vec![ResultPart::text(text)],
    }
}

impl Turn {
    /// A response of this outcome, with what the reply has spent so far.
    pub(super) fn response(&self, outcome: Outcome, message: Option<Message>) -> ReplyResponse {
        ReplyResponse::new(ReplyResponseData { outcome, message, ..self.blank() })
    }

    /// A response that says why the reply failed or was aborted.
    pub(super) fn failed(&self, outcome: Outcome, error: Option<Error>) -> ReplyResponse {
        ReplyResponse::new(ReplyResponseData { outcome, error, ..self.blank() })
    }

    fn blank(&self) -> ReplyResponseData {
        ReplyResponseData {
            outcome: Outcome::Silent,
            message: None,
            structured_output: None,
            error: None,
            usage: self.spending.total(),
            steps: self.step(),
        }
    }
}
