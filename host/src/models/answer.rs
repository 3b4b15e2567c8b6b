//! Builds an answer piece by piece: the content of the message, and the events that tell of it.

use std::collections::HashSet;

use serde_json::Value;

use crate::event::Event;
use crate::message::{Block, ToolCall};
use crate::request::ModelRequest;

/// Which block of an [`Answer`] a piece belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot(usize);

/// An answer on its way.
///
/// Blocks stand in order of first appearance and several may be open at once. Each one that opens is closed by
/// [`Answer::close_all`] at the latest, so the events always pair up.
#[derive(Debug)]
pub(super) struct Answer {
    call_id: String,
    parts: Vec<Part>,
    events: Vec<Event>,
    /// Ids of tool calls that another call of this conversation or answer has.
    taken: HashSet<String>,
}

#[derive(Debug)]
struct Part {
    block: Block,
    event_id: String,
    open: bool,
}

impl Answer {
    /// An empty answer of this model call to this request.
    pub(super) fn new(call_id: &str, request: &ModelRequest) -> Self {
        let earlier = request.messages.iter().flat_map(|message| message.tool_calls());
        Self {
            call_id: call_id.to_owned(),
            parts: Vec::new(),
            events: Vec::new(),
            taken: earlier.map(|call| call.id.clone()).collect(),
        }
    }

    /// Opens a text block.
    pub(super) fn open_text(&mut self) -> Slot {
        let id = self.fresh_id("");
        self.events.push(Event::TextStart { id: id.clone() });
        self.open(Block::Text { text: String::new() }, id)
    }

    /// Opens a thinking block.
    pub(super) fn open_thinking(&mut self) -> Slot {
        let id = self.fresh_id("");
        self.events.push(Event::ThinkingStart { id: id.clone() });
        self.open(Block::Thinking { text: String::new(), signature: None }, id)
    }

    /// Opens a tool call. It gets an id of its own if it has none, one that is taken, or one that nobody could write.
    pub(super) fn open_call(&mut self, id: &str, name: &str) -> Slot {
        let usable = is_word(id) && !self.taken.contains(id);
        let id = if usable { id.to_owned() } else { self.fresh_id("tool-") };
        self.taken.insert(id.clone());
        self.events.push(Event::ToolCallStart { call_id: id.clone(), name: name.to_owned() });
        let call = ToolCall { id: id.clone(), name: name.to_owned(), arguments: String::new() };
        self.open(Block::ToolCall(call), id)
    }

    /// Adds a whole block of another kind, of which no event tells.
    pub(super) fn add_other(&mut self, name: String, json: Value) {
        self.parts.push(Part { block: Block::Other { name, json }, event_id: String::new(), open: false });
    }

    /// Appends to the text, thought or arguments of a block.
    pub(super) fn append(&mut self, slot: Slot, piece: &str) {
        let Some(part) = self.parts.get_mut(slot.0) else { return };
        if piece.is_empty() {
            return;
        }
        let (id, piece_text) = (part.event_id.clone(), piece.to_owned());
        let event = match &mut part.block {
            Block::Text { text } => {
                text.push_str(piece);
                Event::TextDelta { id, text: piece_text }
            }
            Block::Thinking { text, .. } => {
                text.push_str(piece);
                Event::ThinkingDelta { id, text: piece_text }
            }
            Block::ToolCall(call) => {
                call.arguments.push_str(piece);
                Event::ToolCallDelta { call_id: id, text: piece_text }
            }
            _ => return,
        };
        self.events.push(event);
    }

    /// Appends to the signature of a thought.
    pub(super) fn sign(&mut self, slot: Slot, piece: &str) {
        if let Some(Part { block: Block::Thinking { signature, .. }, .. }) = self.parts.get_mut(slot.0) {
            signature.get_or_insert_default().push_str(piece);
        }
    }

    /// Closes a block; one that is closed stays so.
    pub(super) fn close(&mut self, slot: Slot) {
        let Some(part) = self.parts.get_mut(slot.0) else { return };
        if !std::mem::take(&mut part.open) {
            return;
        }
        let id = part.event_id.clone();
        self.events.push(match part.block {
            Block::Text { .. } => Event::TextEnd { id },
            Block::Thinking { .. } => Event::ThinkingEnd { id },
            _ => Event::ToolCallEnd { call_id: id },
        });
    }

    /// Closes every block that is still open, in order.
    pub(super) fn close_all(&mut self) {
        for index in 0..self.parts.len() {
            self.close(Slot(index));
        }
    }

    /// Takes the events since the last time.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The arguments of a tool call so far.
    pub(super) fn arguments(&self, slot: Slot) -> &str {
        match self.parts.get(slot.0) {
            Some(Part { block: Block::ToolCall(call), .. }) => &call.arguments,
            _ => "",
        }
    }

    /// The tool calls so far.
    pub(super) fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match &part.block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The content.
    pub(super) fn into_content(self) -> Vec<Block> {
        self.parts.into_iter().map(|part| part.block).collect()
    }

    fn fresh_id(&self, kind: &str) -> String {
        format!("{}-{kind}{}", self.call_id, self.parts.len())
    }

    fn open(&mut self, block: Block, event_id: String) -> Slot {
        self.parts.push(Part { block, event_id, open: true });
        Slot(self.parts.len() - 1)
    }
}

/// Whether an id is one a person can read and write: visible ASCII, as in every provider's own. It may be long, since
/// servers in between hide things in it.
fn is_word(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether the arguments of a tool call are whole: a JSON object.
pub(super) fn is_whole(arguments: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, Value>>(arguments).is_ok()
}
