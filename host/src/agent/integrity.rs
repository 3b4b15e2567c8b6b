//! The law of every conversation, stored or sent to a model: each call before its result, and none without the other.

use std::collections::HashSet;

use crate::error::Error;
use crate::message::{Message, Role};
use crate::session::OpenCall;

/// Refuses a conversation in which a call has no result and is not open, a result has no call before it, or either
/// stands in a message of another role than its own.
///
/// # Errors
/// `invalid-input` naming the call.
pub(super) fn check<'a>(
    messages: impl IntoIterator<Item = &'a Message>,
    open: &[OpenCall],
) -> Result<(), Error> {
    let is_open = |id: &str| open.iter().any(|open| open.call.id == id);
    let mut waiting: HashSet<&str> = HashSet::new();
    let mut known: HashSet<&str> = HashSet::new();
    for message in messages {
        check_roles(message)?;
        if message.role == Role::Assistant
            && let Some(call) = waiting.iter().find(|call| !is_open(call))
        {
            return Err(Error::invalid(format!(
                "call `{call}` has no result before the assistant's next message"
            )));
        }
        for result in message.tool_results() {
            if !waiting.remove(result.call_id.as_str()) {
                return Err(Error::invalid(format!(
                    "the result of call `{}` has no call before it",
                    result.call_id
                )));
            }
        }
        for call in message.tool_calls() {
            if call.id.is_empty() {
                return Err(Error::invalid(format!("a call of tool `{}` has no id", call.name)));
            }
            if !known.insert(&call.id) {
                return Err(Error::invalid(format!("call `{}` stands there twice", call.id)));
            }
            waiting.insert(&call.id);
        }
    }
    for open in open {
        if !waiting.remove(open.call.id.as_str()) {
            return Err(Error::invalid(format!("call `{}` is open and must stay as it is", open.call.id)));
        }
    }
    match waiting.into_iter().next() {
        Some(call) => Err(Error::invalid(format!("call `{call}` has no result"))),
        None => Ok(()),
    }
}

/// Calls are the assistant's to make, and results stand in messages of their own.
fn check_roles(message: &Message) -> Result<(), Error> {
    if message.role != Role::Assistant
        && let Some(call) = message.tool_calls().next()
    {
        return Err(Error::invalid(format!("call `{}` stands in no message of the role assistant", call.id)));
    }
    if message.role != Role::Tool
        && let Some(result) = message.tool_results().next()
    {
        return Err(Error::invalid(format!(
            "the result of call `{}` stands in no message of the role tool",
            result.call_id
        )));
    }
    Ok(())
}

/// Refuses an answer, of a model or of a layer in its place, that says itself what a tool answered.
///
/// # Errors
/// `invalid-input` naming the call.
pub(super) fn check_answer(message: &Message) -> Result<(), Error> {
    match message.tool_results().next() {
        Some(result) => {
            let text =
                format!("an answer must not hold tool results, and it has one of call `{}`", result.call_id);
            Err(Error::invalid(text))
        }
        None => Ok(()),
    }
}

/// Refuses a final answer that is none.
///
/// # Errors
/// `invalid-input`.
pub(super) fn check_final(message: &Message) -> Result<(), Error> {
    if message.tool_calls().next().is_some() || message.tool_results().next().is_some() {
        return Err(Error::invalid("a final message must not hold tool calls or tool results"));
    }
    Ok(())
}
