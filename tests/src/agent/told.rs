//! Everything that a reply told.

use std::fmt::Write as _;

use cepa::agent::{Agent, ReplyItem, ReplyResult, ReplyStream};
use cepa::chain::{Note, NoteKind};
use cepa::event::Event;

use crate::in_time;

/// Everything that a reply told, and its result.
#[derive(Debug)]
pub struct Told {
    /// Its events and notes, in the order in which they came.
    pub items: Vec<ReplyItem>,
    /// Its events, in order.
    pub events: Vec<Event>,
    /// Its notes, in order.
    pub notes: Vec<Note>,
    /// What it came to.
    pub result: ReplyResult,
}

impl Told {
    /// What the layers logged, each line with its layer's name.
    pub fn log(&self) -> String {
        let mut lines = String::new();
        for note in &self.notes {
            if let NoteKind::Log { message, .. } = &note.kind {
                writeln!(lines, "{}: {message}", note.layer).expect("a text can be written to");
            }
        }
        lines
    }

    /// The notes that are no log lines.
    pub fn marks(&self) -> Vec<&Note> {
        self.notes.iter().filter(|note| !matches!(note.kind, NoteKind::Log { .. })).collect()
    }

    /// The text that is left of the stream: what was withdrawn or replaced is gone.
    pub fn streamed(&self) -> String {
        let mut texts: Vec<(Option<&str>, String)> = Vec::new();
        let mut call = None;
        for event in &self.events {
            match event {
                Event::ModelCallStart { id, .. } => call = Some(id.as_str()),
                Event::ModelCallEnd { .. } => call = None,
                Event::TextDelta { text, .. } => texts.push((call, text.clone())),
                Event::Withdrawn { id } => texts.retain(|(call, _)| *call != Some(id)),
                Event::MessageReplaced { message } => texts = vec![(None, message.text())],
                _ => {}
            }
        }
        texts.into_iter().map(|(_, text)| text).collect()
    }
}

/// Reads a reply to its end.
pub async fn told(stream: ReplyStream) -> Told {
    told_after(Vec::new(), stream).await
}

/// Reads a reply to its end, of which these items were read before.
pub async fn told_after(mut items: Vec<ReplyItem>, mut stream: ReplyStream) -> Told {
    while let Some(item) = in_time(stream.next()).await {
        items.push(item);
    }
    let (mut events, mut notes) = (Vec::new(), Vec::new());
    for item in &items {
        match item {
            ReplyItem::Event(event) => events.push(event.clone()),
            ReplyItem::Note(note) => notes.push(note.clone()),
        }
    }
    Told { items, events, notes, result: in_time(stream.finish()).await }
}

/// A reply to a text in the session `s`, read to its end.
///
/// # Panics
/// When the reply can't begin.
pub async fn ask(agent: &Agent, text: &str) -> Told {
    told(agent.reply("s", text).await.expect("the reply begins")).await
}

/// Asks in the session `s`, aborts the reply at the first event that is the moment, and reads it to its end.
///
/// # Panics
/// When the reply can't begin, or the moment does not come.
pub async fn ask_and_abort(agent: &Agent, text: &str, moment: impl Fn(&Event) -> bool) -> Told {
    let mut stream = agent.reply("s", text).await.expect("the reply begins");
    let mut items = Vec::new();
    while !items.last().is_some_and(|item| matches!(item, ReplyItem::Event(event) if moment(event))) {
        items.push(in_time(stream.next()).await.expect("the moment comes"));
    }
    stream.abort();
    told_after(items, stream).await
}
