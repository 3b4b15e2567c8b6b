//! What a batch of writes means, apart from where it is stored.

use crate::message::Usage;

use super::{OpenCall, ReplyRecord, SessionData, StoreError, Write};

/// Refuses a batch that does not fit a session of this many messages and these open calls.
///
/// A batch that passes can be applied without an error, so that a store need not undo one.
///
/// # Errors
/// `Invalid` naming the range or the id.
pub(super) fn check(
    session_id: &str,
    mut messages: usize,
    mut open: Vec<String>,
    reply_id: Option<&str>,
    batch: &[Write],
) -> Result<(), StoreError> {
    let mut reply_id = reply_id;
    for write in batch {
        match write {
            Write::Append(_) => messages += 1,
            Write::Replace { start, end, messages: fresh } => {
                let (from, to) = (*start as usize, *end as usize);
                if from > to || to > messages {
                    return Err(StoreError::Invalid(format!(
                        "messages {start} to {end} of session `{session_id}` can't be replaced: it has {messages}"
                    )));
                }
                messages = messages - (to - from) + fresh.len();
            }
            Write::PutReply(record) => {
                if reply_id.is_some_and(|id| id != record.id) {
                    open.clear();
                }
                reply_id = Some(&record.id);
            }
            Write::PutCall(call) => {
                if !open.contains(&call.call.id) {
                    open.push(call.call.id.clone());
                }
            }
            Write::CloseCall(id) => {
                let Some(at) = open.iter().position(|known| known == id) else {
                    return Err(StoreError::Invalid(format!(
                        "call `{id}` of session `{session_id}` can't be closed: it is not open"
                    )));
                };
                open.remove(at);
            }
            Write::AddUsage { .. } => {}
        }
    }
    Ok(())
}

/// Applies one write that [`check`] let through, and gives the id of the reply whose place was taken.
pub(super) fn apply(data: &mut SessionData, write: Write) -> Option<String> {
    match write {
        Write::Append(message) => data.messages.push(message),
        Write::Replace { start, end, messages } => {
            data.messages.splice(start as usize..end as usize, messages);
        }
        Write::PutReply(record) => return put_reply(data, record),
        Write::PutCall(call) => put_call(&mut data.open_calls, call),
        Write::CloseCall(id) => data.open_calls.retain(|open| open.call.id != id),
        Write::AddUsage { model, usage } => add_usage(&mut data.usage, model, &usage),
    }
    None
}

fn put_reply(data: &mut SessionData, record: ReplyRecord) -> Option<String> {
    let id = record.id.clone();
    let earlier = data.reply.replace(record).filter(|earlier| earlier.id != id)?;
    data.open_calls.clear();
    Some(earlier.id)
}

fn put_call(open: &mut Vec<OpenCall>, call: OpenCall) {
    match open.iter_mut().find(|known| known.call.id == call.call.id) {
        Some(known) => *known = call,
        None => open.push(call),
    }
}

fn add_usage(all: &mut Vec<(String, Usage, u64)>, model: String, usage: &Usage) {
    match all.iter_mut().find(|(known, ..)| *known == model) {
        Some((_, total, calls)) => {
            total.add(usage);
            *calls += 1;
        }
        None => {
            let mut total = Usage::default();
            total.add(usage);
            all.push((model, total, 1));
        }
    }
}
