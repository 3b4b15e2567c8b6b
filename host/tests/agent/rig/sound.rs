//! What holds of every reply and every session.

use std::collections::VecDeque;

use cepa::event::Event;
use cepa::message::{Message, Role};
use cepa::session::SessionData;

use super::Told;

/// What must hold of every reply that has ended, however it did.
pub(crate) fn assert_sound(told: &Told, session: &SessionData) {
    let ends = told.events.iter().filter(|event| matches!(event, Event::ReplyEnd { .. })).count();
    assert_eq!(ends, 1, "one reply-end: {:#?}", told.events);
    assert!(matches!(told.events.last(), Some(Event::ReplyEnd { .. })), "nothing follows the end");
    assert_whole(session);
}

/// The texts that the stream leaves standing are those that the session holds of the assistant.
pub(crate) fn assert_agree(told: &Told, session: &SessionData) {
    let mut texts: Vec<(Option<&str>, String)> = Vec::new();
    let mut call = None;
    for event in &told.events {
        match event {
            Event::ModelCallStart { id, .. } => call = Some(id.as_str()),
            Event::TextDelta { text, .. } => texts.push((call, text.clone())),
            Event::Withdrawn { id } => texts.retain(|(call, _)| *call != Some(id)),
            Event::MessageReplaced { message } => {
                texts.retain(|(own, _)| *own != call);
                texts.push((call, message.text()));
            }
            _ => {}
        }
    }
    let streamed: String = texts.into_iter().map(|(_, text)| text).collect();
    let said = session.messages.iter().filter(|message| message.role == Role::Assistant);
    assert_eq!(streamed, said.map(Message::text).collect::<String>(), "{:#?}", told.events);
}

/// Each call has one result behind it, in the order of the calls, unless it is open; and no result stands alone.
pub(crate) fn assert_whole(session: &SessionData) {
    let mut waiting: VecDeque<String> = VecDeque::new();
    let is_open = |id: &str| session.open_calls.iter().any(|open| open.call.id == id);
    for message in &session.messages {
        for result in message.tool_results() {
            while waiting.front().is_some_and(|id| *id != result.call_id && is_open(id)) {
                waiting.pop_front();
            }
            assert_eq!(waiting.pop_front().as_ref(), Some(&result.call_id), "{:#?}", session.messages);
        }
        if message.role != Role::Tool {
            assert!(waiting.iter().all(|id| is_open(id)), "unanswered: {waiting:?}");
            waiting.clear();
        }
        waiting.extend(message.tool_calls().map(|call| call.id.clone()));
    }
    assert!(waiting.iter().all(|id| is_open(id)), "unanswered: {waiting:?} in {:#?}", session.messages);
}
