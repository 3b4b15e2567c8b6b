//! The law of every conversation: a call before its result, and each with the other.

use std::collections::HashSet;

use crate::error::Error;
use crate::message::Message;
use crate::session::OpenCall;

/// Refuses a conversation in which a call has no result and is not open, or a result no call before it.
///
/// # Errors
/// `invalid-input` naming the call.
pub(super) fn check<'a>(
    messages: impl IntoIterator<Item = &'a Message>,
    open: &[OpenCall],
) -> Result<(), Error> {
    let mut waiting: HashSet<&str> = HashSet::new();
    let mut known: HashSet<&str> = HashSet::new();
    for message in messages {
        for result in message.tool_results() {
            if !waiting.remove(result.call_id.as_str()) {
                return Err(Error::invalid(format!(
                    "the result of call `{}` would lose its call",
                    result.call_id
                )));
            }
        }
        for call in message.tool_calls() {
            if !known.insert(&call.id) {
                return Err(Error::invalid(format!("call `{}` would stand there twice", call.id)));
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
        Some(call) => Err(Error::invalid(format!("call `{call}` would lose its result"))),
        None => Ok(()),
    }
}
