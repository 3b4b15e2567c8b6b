//! A reply in lines that a person can read and compare.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::chain::NoteKind;
use crate::error::Error;
use crate::event::Event;
use crate::message::{Block, FinishReason, Message, ResultPart, Role, ToolState};

use super::seen::{Seen, outcome};

/// What a reply told, but the log.
pub(super) fn told(seen: &Seen) -> String {
    let mut lines = events(&seen.events);
    lines.push(format!("ended     {}", seen.ended()));
    lines.extend(seen.stored.messages.iter().map(|message| format!("stored    {}", line(message))));
    lines.extend(seen.state.iter().map(|entry| format!("state     {}", plain(entry))));
    joined(lines)
}

/// What the layer logged.
pub(super) fn logged(seen: &Seen) -> String {
    let lines = seen.notes.iter().filter_map(|note| match &note.kind {
        NoteKind::Log { level, message } => Some(format!("log       {level}: {}", plain(message))),
        NoteKind::Fault { hook, cause } | NoteKind::Skipped { hook, cause } => {
            Some(format!("fault     {hook}: {}", plain(cause)))
        }
        NoteKind::Denied { capability, object } => Some(format!("denied    {capability} {}", plain(object))),
        NoteKind::ToolCall { tool, outcome } => Some(format!("layer     called tool {tool}: {outcome}")),
        NoteKind::AgentRun { agent, .. } => Some(format!("layer     ran agent {agent}")),
        _ => None,
    });
    joined(lines.collect())
}

fn joined(lines: Vec<String>) -> String {
    lines.into_iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    })
}

/// A text in one line.
fn plain(text: &str) -> String {
    text.replace('\n', "\\n")
}

/// Events, what belongs together in one line: how a text was cut says nothing of what was said.
fn events(events: &[Event]) -> Vec<String> {
    let mut teller = Teller::default();
    for event in events {
        teller.take(event);
    }
    let cut: Vec<String> =
        teller.open.into_values().map(|text| format!("cut       {}", plain(&text))).collect();
    teller.lines.into_iter().chain(cut).collect()
}

#[derive(Default)]
struct Teller {
    lines: Vec<String>,
    /// What has begun and not ended, by its id.
    open: BTreeMap<String, String>,
}

impl Teller {
    fn take(&mut self, event: &Event) {
        match event {
            Event::TextStart { id } | Event::ThinkingStart { id } => self.begin(id, ""),
            Event::DataStart { id, media_type } => self.begin(id, media_type),
            Event::TextDelta { id, text } | Event::ThinkingDelta { id, text } => self.add(id, text),
            Event::DataDelta { id, bytes } => self.add(id, &format!(" {} bytes", bytes.len())),
            Event::ToolCallStart { call_id, name } => self.begin(call_id, &format!("{name} ")),
            Event::ToolResultStart { call_id, name } => self.begin(call_id, &format!("{name}: ")),
            Event::ToolCallDelta { call_id, text } | Event::ToolResultText { call_id, text } => {
                self.add(call_id, text);
            }
            Event::ToolResultData { call_id, bytes, .. } => {
                self.add(call_id, &format!("{} bytes", bytes.len()));
            }
            Event::TextEnd { id } => self.end(id, "text", ""),
            Event::ThinkingEnd { id } => self.end(id, "thinking", ""),
            Event::DataEnd { id } => self.end(id, "data", ""),
            Event::ToolCallEnd { call_id } => self.end(call_id, "call", ""),
            Event::ToolResultEnd { call_id, state } => self.end(call_id, "result", state_name(*state)),
            whole => self.lines.push(whole_line(whole)),
        }
    }

    fn begin(&mut self, id: &str, text: &str) {
        self.open.insert(id.to_owned(), text.to_owned());
    }

    fn add(&mut self, id: &str, text: &str) {
        self.open.entry(id.to_owned()).or_default().push_str(text);
    }

    fn end(&mut self, id: &str, what: &str, how: &str) {
        let text = self.open.remove(id).unwrap_or_default();
        let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
        self.lines.push(format!("{what:<9} {}{how}", plain(&text)));
    }
}

/// An event that stands by itself.
fn whole_line(event: &Event) -> String {
    match event {
        Event::ReplyStart { agent_name, .. } => format!("begin     {agent_name}"),
        Event::ReplyEnd { outcome: how, error, .. } => {
            format!("end       {}{}", outcome(*how), why(error.as_ref()))
        }
        Event::ModelCallStart { model, .. } => format!("model     {model}"),
        Event::ModelCallEnd { finish_reason, error, .. } => {
            format!("model     {}{}", finish(*finish_reason), why(error.as_ref()))
        }
        Event::Hint { source, text, .. } => format!("hint      {source}: {}", plain(text)),
        Event::Withdrawn { .. } => "withdrawn all since the begin of the call".to_owned(),
        Event::MessageReplaced { message } => format!("replaced  {}", line(message)),
        Event::ToolCallReplaced { call } => format!("replaced  {} {}", call.name, plain(&call.arguments)),
        Event::Other { name, json } => format!("other     {name} {json}"),
        pieces => format!("event     {pieces:?}"),
    }
}

fn why(error: Option<&Error>) -> String {
    error.map(|error| format!(": {}", plain(&error.message))).unwrap_or_default()
}

fn finish(reason: FinishReason) -> &'static str {
    reason.name()
}

fn state_name(state: ToolState) -> &'static str {
    match state {
        ToolState::Success => "success",
        ToolState::Error => "error",
        ToolState::Denied => "denied",
        ToolState::Interrupted => "interrupted",
        ToolState::Parked => "parked",
    }
}

/// A message in one line.
pub(super) fn line(message: &Message) -> String {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let blocks: Vec<String> = message.content.iter().map(block).collect();
    plain(&format!("{role}: {}", blocks.join(" | ")))
}

fn block(block: &Block) -> String {
    match block {
        Block::Text { text } => text.clone(),
        Block::Thinking { text, .. } => format!("({text})"),
        Block::Hint { source, text } => format!("[{source}: {text}]"),
        Block::Data(data) => data.media_type.clone(),
        Block::ToolCall(call) => format!("{}({})", call.name, call.arguments),
        Block::ToolResult(result) => {
            let parts: Vec<String> = result.content.iter().map(part).collect();
            format!("{} {} {}", result.name, state_name(result.state), parts.join(" + "))
        }
        Block::Other { name, json } => format!("{name} {json}"),
    }
}

fn part(part: &ResultPart) -> String {
    match part {
        ResultPart::Text { text } => text.clone(),
        ResultPart::Data(data) => data.media_type.clone(),
        ResultPart::Other { name, json } => format!("{name} {json}"),
    }
}
