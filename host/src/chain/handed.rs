//! What a layer may send of what is the host's to say: model calls, tool calls, their results, and what corrects them.
//!
//! A layer passes on what it was given, in order, or keeps it back. So what is shown of a call is what ran.

use std::collections::VecDeque;

use crate::error::Error;
use crate::event::{Event, EventKinds};
use crate::message::{Block, Message};

/// The kinds that are the host's to say.
const HOSTS: EventKinds = EventKinds::TOOL_CALL
    .with(EventKinds::TOOL_RESULT)
    .with(EventKinds::MODEL_CALL)
    .with(EventKinds::REVISION)
    .with(EventKinds::REPLY);

/// How many events are remembered of those that a layer keeps back: far more than one step has, and an end to a reply
/// without one.
const WAITING_MAX: usize = 4_096;

/// Whether events of this kind are the host's to say.
pub(super) fn is_hosts(event: &Event) -> bool {
    HOSTS.contains(event.kind())
}

/// What one layer was given and has not sent on.
#[derive(Debug, Default)]
pub(super) struct Handed {
    waiting: VecDeque<Event>,
    /// The tool results whose start it has sent on, and not their end.
    results: Vec<String>,
    /// The start of a call of which it has sent on nothing else.
    begun: Option<Event>,
}

impl Handed {
    /// The layer is given this event.
    pub(super) fn give(&mut self, event: &Event) {
        if !is_hosts(event) || matches!(event, Event::ToolResultText { .. } | Event::ToolResultData { .. }) {
            return;
        }
        if let Event::ToolCallDelta { call_id, text } = event
            && let Some(Event::ToolCallDelta { call_id: known, text: before }) = self.waiting.back_mut()
            && known == call_id
        {
            before.push_str(text);
            return;
        }
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_front();
        }
        self.waiting.push_back(event.clone());
    }

    /// The layer sends this event.
    ///
    /// # Errors
    /// `invalid-input` when the event is the host's to say, and is not one that the layer was given.
    pub(super) fn admit(&mut self, event: &Event) -> Result<(), Error> {
        let admitted = match event {
            Event::ReplyStart { .. } | Event::ReplyEnd { .. } => {
                return Err(Error::invalid("`reply-start` and `reply-end` are the host's to send"));
            }
            Event::ToolResultText { call_id, .. } | Event::ToolResultData { call_id, .. } => {
                self.results.contains(call_id)
            }
            Event::ToolCallDelta { call_id, text } => self.take_delta(call_id, text),
            Event::ToolCallEnd { call_id } => {
                let next = self.next_of_call(call_id).and_then(|at| self.waiting.get(at));
                next == Some(event) && self.take(|other| other == event)
            }
            Event::MessageReplaced { message } => self.take(|other| says_the_same_of_calls(other, message)),
            event if is_hosts(event) => self.take(|other| other == event),
            _ => true,
        };
        if !admitted {
            return Err(Error::invalid(format!(
                "{} are the host's to tell: a layer passes on those that it was given, unchanged and in order, or \
                 keeps them back",
                what(event)
            )));
        }
        match event {
            Event::ToolCallStart { .. } => self.begun = Some(event.clone()),
            Event::ToolResultStart { call_id, .. } => self.results.push(call_id.clone()),
            Event::ToolResultEnd { call_id: id, .. } | Event::Withdrawn { id } => {
                self.results.retain(|open| open != id);
            }
            _ => {}
        }
        Ok(())
    }

    /// What the layer was given went on without it.
    pub(super) fn pass_all<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) {
        for event in events {
            // It was given, so that it may be sent.
            let _ = self.admit(event);
        }
    }

    /// Takes the first event like this out; what came before it of the same thing was kept back.
    fn take(&mut self, like: impl Fn(&Event) -> bool) -> bool {
        let Some(at) = self.waiting.iter().position(like) else { return false };
        let Some(event) = self.waiting.remove(at) else { return false };
        let mut place = 0;
        self.waiting.retain(|other| {
            place += 1;
            place > at || !is_about_the_same(&event, other)
        });
        true
    }

    /// Takes the text of a call's arguments out, in whatever pieces it is sent on.
    fn take_delta(&mut self, id: &str, text: &str) -> bool {
        let mut rest = text;
        while !rest.is_empty() {
            let Some(at) = self.next_of_call(id) else { return false };
            let Some(Event::ToolCallDelta { text: known, .. }) = self.waiting.get_mut(at) else {
                return false;
            };
            let same = known.bytes().zip(rest.bytes()).take_while(|(one, other)| one == other).count();
            if same < known.len().min(rest.len()) {
                let untold = rest.len() == text.len();
                if untold && self.skip_attempt(id) {
                    continue;
                }
                return false;
            }
            if same == known.len() {
                self.waiting.remove(at);
            } else {
                known.drain(..same);
            }
            rest = rest.get(same..).unwrap_or_default();
        }
        self.begun = None;
        true
    }

    /// Takes the start that was sent last for that of the next attempt to make the same call: the one before it was
    /// kept back.
    fn skip_attempt(&mut self, id: &str) -> bool {
        let Some(start) = self.begun.take() else { return false };
        call_of(&start) == Some(id) && self.take(|other| *other == start)
    }

    /// Where the next event of a call is.
    fn next_of_call(&self, id: &str) -> Option<usize> {
        self.waiting.iter().position(|event| call_of(event) == Some(id))
    }
}

/// The call that the model makes in this event.
fn call_of(event: &Event) -> Option<&str> {
    match event {
        Event::ToolCallStart { call_id, .. }
        | Event::ToolCallDelta { call_id, .. }
        | Event::ToolCallEnd { call_id } => Some(call_id),
        _ => None,
    }
}

/// Whether both events tell of one call, one result or one model call.
fn is_about_the_same(one: &Event, other: &Event) -> bool {
    one.kind() == other.kind() && subject(one).is_some_and(|id| subject(other) == Some(id))
}

fn subject(event: &Event) -> Option<&str> {
    match event {
        Event::ModelCallStart { id, .. } | Event::ModelCallEnd { id, .. } => Some(id),
        Event::ToolResultStart { call_id, .. } | Event::ToolResultEnd { call_id, .. } => Some(call_id),
        event => call_of(event),
    }
}

/// Whether a message that is to hold tells of the same calls as one that a layer was given; its words may differ.
fn says_the_same_of_calls(given: &Event, sent: &Message) -> bool {
    let of_calls = |block: &&Block| matches!(block, Block::ToolCall(_) | Block::ToolResult(_));
    match given {
        Event::MessageReplaced { message } => {
            message.id == sent.id
                && message.content.iter().filter(of_calls).eq(sent.content.iter().filter(of_calls))
        }
        _ => false,
    }
}

/// The name of what an event tells of, for an error.
fn what(event: &Event) -> &'static str {
    match event {
        Event::ModelCallStart { .. } | Event::ModelCallEnd { .. } => "model calls",
        Event::ToolResultStart { .. }
        | Event::ToolResultText { .. }
        | Event::ToolResultData { .. }
        | Event::ToolResultEnd { .. } => "tool results",
        Event::Withdrawn { .. } | Event::MessageReplaced { .. } => "corrections of what was streamed",
        _ => "tool calls",
    }
}
