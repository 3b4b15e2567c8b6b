//! Brings a conversation into the order that providers accept.
//!
//! Each tool call must be followed at once by its results. What stands between them in the conversation, such as a
//! hint, is told right after them.

use std::collections::HashSet;
use std::sync::Arc;

use crate::message::{Block, Data, Message, ResultPart, Role};

/// What one speaker says in one go.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    pub(super) role: Role,
    pub(super) name: Option<&'a str>,
    pub(super) pieces: Vec<Piece<'a>>,
}

/// A part of a [`Turn`].
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// A block as it stands in the conversation; never a hint.
    Block(&'a Block),
    /// Text that stands for something else.
    Note(String),
    /// Data out of a tool's result.
    Data(&'a Data),
}

/// Whether a provider takes images and files inside a tool's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultData {
    /// It does.
    Inside,
    /// It does not: they follow the results in a user turn.
    After,
}

/// The turns of a conversation.
pub(super) fn turns(messages: &[Arc<Message>], result_data: ResultData) -> Vec<Turn<'_>> {
    let mut transcript =
        Transcript { result_data, turns: Vec::new(), open: HashSet::new(), deferred: Vec::new() };
    for message in messages {
        transcript.message(message);
    }
    transcript.release();
    transcript.turns
}

struct Transcript<'a> {
    result_data: ResultData,
    turns: Vec<Turn<'a>>,
    /// Calls whose results have not come yet.
    open: HashSet<&'a str>,
    /// What has to wait for them.
    deferred: Vec<Turn<'a>>,
}

impl<'a> Transcript<'a> {
    fn message(&mut self, message: &'a Message) {
        let name = message.name.as_deref();
        let mut turn = Turn { role: message.role, name, pieces: Vec::new() };
        let mut after = Vec::new();
        for block in &message.content {
            let role = speaker(block, message.role);
            let piece = piece(block);
            if role == Role::User && message.role == Role::Assistant && turn.has_calls() {
                after.push(Turn { role, name: None, pieces: vec![piece] });
                continue;
            }
            if role != turn.role || matches!(block, Block::Hint { .. }) {
                let name = name.filter(|_| role == message.role);
                self.push(std::mem::replace(&mut turn, Turn { role, name, pieces: Vec::new() }));
            }
            turn.pieces.push(piece);
        }
        self.push(turn);
        for turn in after {
            self.push(turn);
        }
    }

    fn push(&mut self, turn: Turn<'a>) {
        if turn.pieces.is_empty() {
            return;
        }
        match turn.role {
            Role::Tool => self.results(turn),
            Role::Assistant => {
                self.release();
                self.open = turn.calls().collect();
                self.turns.push(turn);
            }
            Role::User | Role::System if self.open.is_empty() => self.turns.push(turn),
            Role::User | Role::System => self.deferred.push(turn),
        }
    }

    fn results(&mut self, turn: Turn<'a>) {
        for piece in &turn.pieces {
            let Piece::Block(Block::ToolResult(result)) = piece else { continue };
            self.open.remove(result.call_id.as_str());
            if self.result_data == ResultData::After {
                self.deferred.extend(data_turn(&result.name, &result.content));
            }
        }
        match self.turns.last_mut() {
            Some(last) if last.role == Role::Tool => last.pieces.extend(turn.pieces),
            _ => self.turns.push(turn),
        }
    }

    /// Says what had to wait.
    fn release(&mut self) {
        self.open.clear();
        self.turns.append(&mut self.deferred);
    }
}

impl<'a> Turn<'a> {
    fn calls(&self) -> impl Iterator<Item = &'a str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Block(Block::ToolCall(call)) => Some(call.id.as_str()),
            _ => None,
        })
    }

    fn has_calls(&self) -> bool {
        self.calls().next().is_some()
    }
}

fn speaker(block: &Block, role: Role) -> Role {
    match block {
        Block::Hint { .. } => Role::User,
        Block::ToolResult(_) => Role::Tool,
        _ if role == Role::Tool => Role::User,
        _ => role,
    }
}

fn piece(block: &Block) -> Piece<'_> {
    match block {
        Block::Hint { text, .. } => Piece::Note(text.clone()),
        block => Piece::Block(block),
    }
}

fn data_turn<'a>(tool: &str, content: &'a [ResultPart]) -> Option<Turn<'a>> {
    let data = content.iter().filter_map(|part| match part {
        ResultPart::Data(data) => Some(Piece::Data(data)),
        ResultPart::Text { .. } | ResultPart::Other { .. } => None,
    });
    let mut pieces = vec![Piece::Note(format!("From the result of tool `{tool}`:"))];
    pieces.extend(data);
    (pieces.len() > 1).then_some(Turn { role: Role::User, name: None, pieces })
}

/// The arguments of a call as a JSON object. Malformed ones are shown to the model inside an object, since servers
/// refuse a conversation that holds them as they are.
pub(super) fn arguments(raw: &str) -> serde_json::Map<String, serde_json::Value> {
    if raw.trim().is_empty() {
        return serde_json::Map::new();
    }
    serde_json::from_str(raw).unwrap_or_else(|_| {
        let mut wrapped = serde_json::Map::new();
        wrapped.insert("malformed_arguments".to_owned(), raw.into());
        wrapped
    })
}
