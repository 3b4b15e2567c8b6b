//! The way outward: what went out, and who may send what.

use std::cell::RefCell;
use std::rc::Rc;

use super::handed::Handed;
use super::handle::json_named;
use crate::{ContentBlock, Error, Event, Message};

/// The way outward. Its clones are the same way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outward(Rc<RefCell<Sent>>);

#[derive(Debug, Default)]
struct Sent {
    events: Vec<Event>,
    /// What the layer was given.
    handed: Handed,
    /// The call that a tool tells its answer to; absent where a layer sends.
    tool: Option<String>,
}

impl Outward {
    /// The way outward of a tool that runs for this call.
    pub(crate) fn of_tool(call_id: &str) -> Self {
        let sent = Sent { tool: Some(call_id.to_owned()), ..Sent::default() };
        Self(Rc::new(RefCell::new(sent)))
    }

    /// These events go out past the layer.
    pub(super) fn pass(&self, events: impl IntoIterator<Item = Event>) {
        self.0.borrow_mut().events.extend(events);
    }

    /// The layer is given these events.
    pub(super) fn give(&self, events: &[Event]) {
        let mut sent = self.0.borrow_mut();
        events.iter().for_each(|event| sent.handed.give(event));
    }

    /// The layer or the tool sends these events, up to the first that it may not send. With malformed JSON in one, none
    /// goes out.
    pub(super) fn emit(&self, events: &[Event]) -> Result<(), Error> {
        events.iter().try_for_each(check)?;
        let mut sent = self.0.borrow_mut();
        events.iter().try_for_each(|event| sent.send(event))
    }

    /// Withdraws the model calls and tool results that went out and still hold, as a host does before one more run.
    pub(super) fn withdraw(&self) {
        let mut sent = self.0.borrow_mut();
        let void = begun(&sent.events);
        sent.events.extend(void.into_iter().map(Event::Withdrawn));
    }

    /// Everything that went out, in order.
    pub(crate) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.0.borrow_mut().events)
    }
}

impl Sent {
    fn send(&mut self, event: &Event) -> Result<(), Error> {
        match &self.tool {
            // All else of a tool's is dropped.
            Some(call_id) if !is_content_of(event, call_id) => return Ok(()),
            Some(_) => {}
            None => self.admit(event)?,
        }
        self.events.push(event.clone());
        Ok(())
    }

    fn admit(&mut self, event: &Event) -> Result<(), Error> {
        let admitted = self.handed.admit(event);
        match event {
            // What it has let out itself it may take back.
            Event::Withdrawn(id) if begun(&self.events).contains(id) => Ok(()),
            _ => admitted,
        }
    }
}

/// The model calls and tool results that went out and were not withdrawn.
fn begun(events: &[Event]) -> Vec<String> {
    let mut begun: Vec<String> = Vec::new();
    for event in events {
        match event {
            Event::ModelCallStart(start) => begun.push(start.id.clone()),
            Event::ToolResultStart(start) => begun.push(start.call_id.clone()),
            Event::Withdrawn(id) => begun.retain(|begun| begun != id),
            _ => {}
        }
    }
    begun
}

fn is_content_of(event: &Event, id: &str) -> bool {
    match event {
        Event::ToolResultText(text) => text.call_id == id,
        Event::ToolResultData(data) => data.call_id == id,
        _ => false,
    }
}

/// Refuses an event whose JSON is none.
fn check(event: &Event) -> Result<(), Error> {
    match event {
        Event::Other(other) => json_named("the event's `json`", &other.json).map(drop),
        Event::MessageReplaced(message) => check_message(message),
        _ => Ok(()),
    }
}

fn check_message(message: &Message) -> Result<(), Error> {
    for block in &message.content {
        if let ContentBlock::Other(other) = block {
            json_named("the block's `json`", &other.json)?;
        }
    }
    let metadata = message.metadata.trim();
    if metadata.is_empty() || json_named("the message's `metadata`", metadata)?.is_object() {
        return Ok(());
    }
    Err(Error::invalid("the message's `metadata` is no JSON object"))
}
