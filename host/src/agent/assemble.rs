//! Puts a stream of events together again into the message and the results that it shows.

use std::collections::HashMap;

use crate::event::Event;
use crate::message::{Block, Data, DataSource, Message, ResultPart, ToolCall};

/// A block of the running step as the stream showed it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) id: String,
    pub(super) block: Block,
    /// Whether the stream has shown its end.
    pub(super) ended: bool,
}

/// A model call of the running step.
#[derive(Debug)]
struct Call {
    id: String,
    /// The number of pieces before it.
    before: usize,
    ended: bool,
}

/// What a stream has shown of the running step.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    pieces: Vec<Piece>,
    calls: Vec<Call>,
    results: HashMap<String, Vec<ResultPart>>,
}

impl Assembly {
    /// Takes note of an event.
    pub(super) fn feed(&mut self, event: &Event) {
        match event {
            Event::ModelCallStart { id, .. } => {
                self.calls.push(Call { id: id.clone(), before: self.pieces.len(), ended: false });
            }
            Event::ModelCallEnd { id, .. } => self.end_call(id),
            Event::TextStart { id } => self.push(id, Block::Text { text: String::new() }),
            Event::ThinkingStart { id } => {
                self.push(id, Block::Thinking { text: String::new(), signature: None });
            }
            Event::DataStart { id, media_type } => self.push(
                id,
                Block::Data(Data {
                    media_type: media_type.clone(),
                    source: DataSource::Bytes(Vec::new()),
                    name: None,
                }),
            ),
            Event::ToolCallStart { call_id, name } => self.push(
                call_id,
                Block::ToolCall(ToolCall {
                    id: call_id.clone(),
                    name: name.clone(),
                    arguments: String::new(),
                }),
            ),
            Event::TextDelta { id, text }
            | Event::ThinkingDelta { id, text }
            | Event::ToolCallDelta { call_id: id, text } => self.add_text(id, text),
            Event::DataDelta { id, bytes } => self.add_bytes(id, bytes),
            Event::TextEnd { id }
            | Event::ThinkingEnd { id }
            | Event::DataEnd { id }
            | Event::ToolCallEnd { call_id: id } => self.end(id),
            Event::ToolCallReplaced { call } => self.replace_call(call),
            Event::MessageReplaced { message } => self.replace_all(message),
            Event::ToolResultStart { call_id, .. } => {
                self.results.insert(call_id.clone(), Vec::new());
            }
            Event::ToolResultText { call_id, text } => push_text(self.result(call_id), text),
            Event::ToolResultData { call_id, media_type, bytes } => {
                self.result(call_id).push(ResultPart::Data(Data {
                    media_type: media_type.clone(),
                    source: DataSource::Bytes(bytes.clone()),
                    name: None,
                }));
            }
            Event::Withdrawn { id } => self.withdraw(id),
            _ => {}
        }
    }

    /// The model calls of the step that were not withdrawn.
    pub(super) fn model_calls(&self) -> Vec<String> {
        self.calls.iter().map(|call| call.id.clone()).collect()
    }

    /// The model calls of the step whose end was not shown.
    pub(super) fn running_calls(&self) -> Vec<String> {
        self.calls.iter().filter(|call| !call.ended).map(|call| call.id.clone()).collect()
    }

    /// The ends of the texts and thoughts that are still open.
    pub(super) fn missing_ends(&self) -> Vec<Event> {
        let end = |piece: &Piece| match piece.block {
            Block::Text { .. } => Some(Event::TextEnd { id: piece.id.clone() }),
            Block::Thinking { .. } => Some(Event::ThinkingEnd { id: piece.id.clone() }),
            _ => None,
        };
        self.pieces.iter().filter(|piece| !piece.ended).filter_map(end).collect()
    }

    /// The blocks of the step.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Forgets the step, which has ended.
    pub(super) fn clear_step(&mut self) {
        self.calls.clear();
        self.pieces.clear();
    }

    /// What was shown of a tool's result; `None` when not even its start was.
    pub(super) fn shown_result(&self, call_id: &str) -> Option<&Vec<ResultPart>> {
        self.results.get(call_id)
    }

    /// The same, and forgets it.
    pub(super) fn take_result(&mut self, call_id: &str) -> Option<Vec<ResultPart>> {
        self.results.remove(call_id)
    }

    fn push(&mut self, id: &str, block: Block) {
        self.pieces.push(Piece { id: id.to_owned(), block, ended: false });
    }

    /// The piece with this id; mostly the last one.
    fn find(&mut self, id: &str) -> Option<&mut Piece> {
        self.pieces.iter_mut().rev().find(|piece| piece.id == id)
    }

    fn piece(&mut self, id: &str) -> Option<&mut Block> {
        self.find(id).map(|piece| &mut piece.block)
    }

    fn end(&mut self, id: &str) {
        if let Some(piece) = self.find(id) {
            piece.ended = true;
        }
    }

    fn end_call(&mut self, id: &str) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
            call.ended = true;
        }
    }

    fn add_text(&mut self, id: &str, more: &str) {
        match self.piece(id) {
            Some(Block::Text { text } | Block::Thinking { text, .. }) => text.push_str(more),
            Some(Block::ToolCall(call)) => call.arguments.push_str(more),
            _ => {}
        }
    }

    fn add_bytes(&mut self, id: &str, more: &[u8]) {
        if let Some(Block::Data(Data { source: DataSource::Bytes(bytes), .. })) = self.piece(id) {
            bytes.extend_from_slice(more);
        }
    }

    fn replace_call(&mut self, call: &ToolCall) {
        if let Some(Block::ToolCall(known)) = self.piece(&call.id) {
            *known = call.clone();
        }
    }

    fn replace_all(&mut self, message: &Message) {
        self.pieces = message
            .content
            .iter()
            .enumerate()
            .map(|(at, block)| Piece { id: format!("#{at}"), block: block.clone(), ended: true })
            .collect();
    }

    fn result(&mut self, call_id: &str) -> &mut Vec<ResultPart> {
        self.results.entry(call_id.to_owned()).or_default()
    }

    fn withdraw(&mut self, id: &str) {
        match self.calls.iter().position(|call| call.id == id) {
            Some(at) => {
                let before = self.calls.get(at).map_or(0, |call| call.before);
                self.calls.truncate(at);
                self.pieces.truncate(before);
            }
            None => {
                self.results.remove(id);
            }
        }
    }
}

/// Adds text to the last part if that is text.
pub(super) fn push_text(parts: &mut Vec<ResultPart>, more: &str) {
    match parts.last_mut() {
        Some(ResultPart::Text { text }) => text.push_str(more),
        _ => parts.push(ResultPart::text(more)),
    }
}

/// Whether a stream shows this block: an empty one is not worth an event, and a hint has its own.
pub(super) fn is_shown(block: &Block) -> bool {
    match block {
        Block::Text { text } | Block::Thinking { text, .. } => !text.is_empty(),
        Block::Data(_) | Block::ToolCall(_) => true,
        Block::Hint { .. } | Block::ToolResult(_) | Block::Other { .. } => false,
    }
}

/// Whether a reader of the stream sees the same in both.
pub(super) fn looks_like(block: &Block, shown: &Block) -> bool {
    match (block, shown) {
        (Block::Thinking { text, .. }, Block::Thinking { text: seen, .. }) => text == seen,
        (Block::Data(data), Block::Data(seen)) => {
            data.media_type == seen.media_type && data.source == seen.source
        }
        _ => block == shown,
    }
}

/// The content as it went out: what a filter changed is changed, text that it held back is gone, and its own text
/// stands where a reader saw it.
///
/// `before` shows what the chain streamed, the same as the shown blocks of `content`; `after` what was delivered.
/// Calls stay whatever a filter did to their events, for each needs its result. Thinking that was held back stays
/// as well, since a provider wants it back with its signature; changed thinking loses the signature.
pub(super) fn delivered(content: Vec<Block>, before: &[Piece], after: &[Piece]) -> Vec<Block> {
    let mut shown = before.iter().filter(|piece| is_shown(&piece.block));
    let says = |piece: &Piece| matches!(&piece.block, Block::Text { text } if !text.is_empty());
    let mut texts = after.iter().enumerate().filter(|(_, piece)| says(piece)).peekable();
    let mut kept = Vec::with_capacity(content.len());
    for block in content {
        let piece = if is_shown(&block) { shown.next() } else { None };
        let at = piece.and_then(|piece| after.iter().position(|other| other.id == piece.id));
        // What went out before this block, and this block itself if it is a text. Calls stay last.
        let until = match (&block, at) {
            (Block::Text { .. }, Some(at)) => at + 1,
            (Block::Data(_), Some(at)) => at,
            (Block::ToolCall(_), _) => after.len(),
            _ => 0,
        };
        while let Some((_, piece)) = texts.next_if(|(at, _)| *at < until) {
            kept.push(piece.block.clone());
        }
        let seen = at.and_then(|at| after.get(at)).map(|piece| &piece.block);
        match (&block, seen) {
            (Block::Text { text }, _) if !text.is_empty() => {}
            (Block::Thinking { text: own, .. }, Some(Block::Thinking { text, .. })) if text != own => {
                kept.push(Block::Thinking { text: text.clone(), signature: None });
            }
            _ => kept.push(block),
        }
    }
    kept.extend(texts.map(|(_, piece)| piece.block.clone()));
    kept
}
