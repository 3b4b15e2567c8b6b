//! Results and responses that the host writes itself.

use crate::error::Error;
use crate::event::Outcome;
use crate::message::{Message, ResultPart, ToolResult, ToolState};
use crate::request::{ReplyResponse, ReplyResponseData};
use crate::session::OpenCall;

use super::turn::Turn;

/// The result of a call that the host closes.
pub(super) fn closing(open: &OpenCall, (state, text): (ToolState, &str)) -> ToolResult {
    ToolResult {
        call_id: open.call.id.clone(),
        name: open.call.name.clone(),
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
            usage: self.usage(),
            steps: self.step(),
        }
    }
}
