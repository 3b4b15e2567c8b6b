//! What a layer may send of what is the host's to say, by the host's own rules: it passes on what it was given, in order,
//! or keeps it back.

use std::collections::VecDeque;

use crate::{ContentBlock, Error, Event, EventKinds, Message};

/// How many events are remembered of those that a layer keeps back.
const WAITING_MAX: usize = 4_096;

/// Whether events of this kind are the host's to say.
fn is_hosts(event: &Event) -> bool {
    let hosts = EventKinds::TOOL_CALL
        | EventKinds::TOOL_RESULT
        | EventKinds::MODEL_CALL
        | EventKinds::REVISION
        | EventKinds::REPLY;
    hosts.contains(event.kind())
}

/// What a layer was given and has not sent on.
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
        if !is_hosts(event) || matches!(event, Event::ToolResultText(_) | Event::ToolResultData(_)) {
            return;
        }
        if let Event::ToolCallDelta(delta) = event
            && let Some(Event::ToolCallDelta(before)) = self.waiting.back_mut()
            && before.call_id == delta.call_id
        {
            before.text.push_str(&delta.text);
            return;
        }
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_front();
        }
        self.waiting.push_back(event.clone());
    }

    /// The layer sends this event; refused when it is the host's to say, and not one that the layer was given.
    pub(super) fn admit(&mut self, event: &Event) -> Result<(), Error> {
        let admitted = match event {
            Event::ReplyStart(_) | Event::ReplyEnd(_) => {
                return Err(Error::invalid("`reply-start` and `reply-end` are the host's to send"));
            }
            Event::ToolResultText(text) => self.results.contains(&text.call_id),
            Event::ToolResultData(data) => self.results.contains(&data.call_id),
            Event::ToolCallDelta(delta) => self.take_delta(&delta.call_id, &delta.text),
            Event::ToolCallEnd(id) => {
                let next = self.next_of_call(id).and_then(|at| self.waiting.get(at));
                next == Some(event) && self.take(|other| other == event)
            }
            Event::MessageReplaced(message) => self.take(|other| says_the_same_of_calls(other, message)),
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
            Event::ToolCallStart(_) => self.begun = Some(event.clone()),
            Event::ToolResultStart(start) => self.results.push(start.call_id.clone()),
            Event::ToolResultEnd(end) => self.results.retain(|open| *open != end.call_id),
            Event::Withdrawn(id) => self.results.retain(|open| open != id),
            _ => {}
        }
        Ok(())
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
            let Some(Event::ToolCallDelta(known)) = self.waiting.get_mut(at) else { return false };
            let known = &mut known.text;
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
        Event::ToolCallStart(start) => Some(&start.call_id),
        Event::ToolCallDelta(delta) => Some(&delta.call_id),
        Event::ToolCallEnd(id) => Some(id),
        _ => None,
    }
}

/// Whether both events tell of one call, one result or one model call.
fn is_about_the_same(one: &Event, other: &Event) -> bool {
    one.kind() == other.kind() && subject(one).is_some_and(|id| subject(other) == Some(id))
}

fn subject(event: &Event) -> Option<&str> {
    match event {
        Event::ModelCallStart(start) => Some(&start.id),
        Event::ModelCallEnd(end) => Some(&end.id),
        Event::ToolResultStart(start) => Some(&start.call_id),
        Event::ToolResultEnd(end) => Some(&end.call_id),
        event => call_of(event),
    }
}

/// Whether a message that is to hold tells of the same calls as one that a layer was given; its words may differ.
fn says_the_same_of_calls(given: &Event, sent: &Message) -> bool {
    let of_calls =
        |block: &&ContentBlock| matches!(block, ContentBlock::ToolCall(_) | ContentBlock::ToolResult(_));
    match given {
        Event::MessageReplaced(given) => {
            given.id == sent.id
                && given.content.iter().filter(of_calls).eq(sent.content.iter().filter(of_calls))
        }
        _ => false,
    }
}

/// The name of what an event tells of, for an error.
fn what(event: &Event) -> &'static str {
    match event {
        Event::ModelCallStart(_) | Event::ModelCallEnd(_) => "model calls",
        Event::ToolResultStart(_)
        | Event::ToolResultText(_)
        | Event::ToolResultData(_)
        | Event::ToolResultEnd(_) => "tool results",
        Event::Withdrawn(_) | Event::MessageReplaced(_) => "corrections of what was streamed",
        _ => "tool calls",
    }
}
