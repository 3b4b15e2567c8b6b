//! Answers to waiting calls: checked as a whole, before any of them changes anything.

use crate::message::{ResultPart, ToolCall, ToolResult, ToolState};
use crate::request::{ReplyRequest, ReplyRequestData};
use crate::session::{CallState, OpenCall};

use super::awaits_answer;
use super::error::AgentError;
use super::input::Answer;
use super::lineup::Lineup;

/// How a run of a reply opens: what was stored for it, and has to be announced.
pub(super) struct Opening {
    /// What the chain is asked.
    pub(super) request: ReplyRequest,
    /// Whether `reply-start` is sent: once per reply, so not again on a resume.
    pub(super) announced: bool,
    /// Calls that stand otherwise than before.
    pub(super) calls: Vec<OpenCall>,
    /// Calls that have ended.
    pub(super) closed: Vec<ToolResult>,
}

impl Default for Opening {
    fn default() -> Self {
        Self {
            request: ReplyRequest::new(ReplyRequestData::default()),
            announced: false,
            calls: Vec::new(),
            closed: Vec::new(),
        }
    }
}

/// What the answers come to.
///
/// # Errors
/// An answer to a call that does not wait, a second answer to a call, or one that does not fit its call.
pub(super) fn plan(
    lineup: &Lineup,
    session_id: &str,
    open: &[OpenCall],
    answers: Vec<Answer>,
) -> Result<Opening, AgentError> {
    let mut opening = Opening::default();
    let mut seen = Vec::with_capacity(answers.len());
    for answer in answers {
        let id = answer.call_id().to_owned();
        if seen.contains(&id) {
            return Err(misfit(&id, "it is answered twice"));
        }
        let asked = open.iter().find(|open| open.call.id == id && awaits_answer(open.state));
        let Some(asked) = asked else { return Err(unknown(session_id, id, open)) };
        seen.push(id);
        apply(lineup, asked, answer, &mut opening)?;
    }
    Ok(opening)
}

fn apply(lineup: &Lineup, asked: &OpenCall, answer: Answer, to: &mut Opening) -> Result<(), AgentError> {
    let id = &asked.call.id;
    let external = asked.state == CallState::Submitted;
    match answer {
        Answer::Approve { .. } | Answer::Edit { .. } if external => {
            Err(misfit(id, "a program outside runs it, so it wants a result"))
        }
        Answer::Result { .. } if !external => Err(misfit(id, "it wants a confirmation and no result")),
        Answer::Approve { .. } => {
            to.calls.push(OpenCall { state: CallState::Confirmed, ..asked.clone() });
            Ok(())
        }
        Answer::Edit { name, arguments, .. } => {
            let call = edited(lineup, &asked.call, name, arguments).map_err(|cause| misfit(id, cause))?;
            let changed = call != asked.call;
            to.calls.push(OpenCall {
                call,
                state: CallState::Confirmed,
                reason: asked.reason.clone(),
                edited: asked.edited || changed,
            });
            Ok(())
        }
        Answer::Reject { reason, .. } => {
            let text = match reason.filter(|reason| !reason.trim().is_empty()) {
                Some(reason) => format!("denied by a person, so it did not run: {reason}"),
                None => "denied by a person, so it did not run".to_owned(),
            };
            to.closed.push(result(&asked.call, ToolState::Denied, vec![ResultPart::text(text)]));
            Ok(())
        }
        Answer::Result { state: ToolState::Parked, .. } => {
            Err(misfit(id, "`parked` is no result: leave the answer out until there is one"))
        }
        Answer::Result { content, state, .. } => {
            to.closed.push(result(&asked.call, state, content));
            Ok(())
        }
    }
}

/// The call as a person wants it. Checked at once, so that the person learns of a slip and not the model.
fn edited(
    lineup: &Lineup,
    call: &ToolCall,
    name: Option<String>,
    arguments: String,
) -> Result<ToolCall, String> {
    let name = name.unwrap_or_else(|| call.name.clone());
    lineup.tools.validate(&name, &arguments)?;
    Ok(ToolCall { id: call.id.clone(), name, arguments })
}

fn result(call: &ToolCall, state: ToolState, content: Vec<ResultPart>) -> ToolResult {
    ToolResult { call_id: call.id.clone(), name: call.name.clone(), state, content }
}

fn misfit(call_id: &str, cause: impl Into<String>) -> AgentError {
    AgentError::Answer { call_id: call_id.to_owned(), cause: cause.into() }
}

fn unknown(session_id: &str, call_id: String, open: &[OpenCall]) -> AgentError {
    let waiting: Vec<&str> =
        open.iter().filter(|open| awaits_answer(open.state)).map(|open| open.call.id.as_str()).collect();
    let waiting = if waiting.is_empty() { "none".to_owned() } else { waiting.join(", ") };
    AgentError::UnknownCall { session: session_id.to_owned(), call_id, waiting }
}
