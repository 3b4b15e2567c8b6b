//! `--json`: one object a line.

use std::io::{self, Write};

use cepa::agent::{ReplyItem, ReplyResult};
use serde_json::{Value, json};

/// Writes JSON lines.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
}

impl<W: Write> JsonLines<W> {
    /// Lines to this writer.
    pub fn new(out: W) -> Self {
        Self { out }
    }

    /// One object.
    pub fn line(&mut self, value: &Value) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    /// What a reply has to tell: an event with its `type`, or what a layer did with its `layer`.
    pub fn item(&mut self, item: &ReplyItem) -> io::Result<()> {
        let value = match item {
            ReplyItem::Event(event) => serde_json::to_value(event)?,
            ReplyItem::Note(note) => serde_json::to_value(note)?,
        };
        self.line(&value)
    }

    /// What each layer did at each hook, and what came of the reply.
    pub fn result(&mut self, session_id: &str, result: &ReplyResult) -> io::Result<()> {
        for (layer, hook, line) in &result.layers {
            let mut value = serde_json::to_value(line)?;
            if let Some(object) = value.as_object_mut() {
                object.insert("type".to_owned(), json!("layer-summary"));
                object.insert("layer".to_owned(), json!(layer));
                object.insert("hook".to_owned(), json!(hook.name()));
            }
            self.line(&value)?;
        }
        self.line(&outcome(session_id, result))
    }
}

fn outcome(session_id: &str, result: &ReplyResult) -> Value {
    let response = &result.response;
    let pending: Vec<Value> = result
        .pending
        .iter()
        .map(|pending| {
            json!({
                "call-id": pending.call.id,
                "name": pending.call.name,
                "arguments": pending.call.arguments,
                "reason": pending.reason,
                "external": pending.external,
            })
        })
        .collect();
    json!({
        "type": "result",
        "session-id": session_id,
        "reply-id": result.reply_id,
        "outcome": response.outcome,
        "text": response.text(),
        "structured-output": response.structured_output,
        "error": response.error,
        "usage": response.usage,
        "steps": response.steps,
        "pending": pending,
    })
}
