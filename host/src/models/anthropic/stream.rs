//! Understands a Messages answer, streamed or whole.

mod usage;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use self::usage::Counts;
use super::content::name_of;
use crate::error::{Error, ErrorKind};
use crate::message::{FinishReason, Usage};
use crate::models::answer::{Answer, Slot};
use crate::models::intake::{Completion, Progress, Protocol};
use crate::models::peer::Peer;

/// An answer on its way.
#[derive(Debug)]
pub(super) struct Reply {
    answer: Answer,
    peer: Arc<Peer>,
    /// The blocks that are open, by the provider's index.
    open: BTreeMap<u64, Open>,
    stop_reason: Option<FinishReason>,
    counts: Counts,
    reported_model: Option<String>,
    response_id: Option<String>,
    began: bool,
}

#[derive(Debug)]
enum Open {
    Text(Slot),
    Thinking(Slot),
    /// A tool call, and the input that its start came with.
    Call(Slot, Value),
    /// A block of another kind as it began, and the fragments of its input.
    Other(Value, String),
}

impl Reply {
    pub(super) fn new(answer: Answer, peer: Arc<Peer>) -> Self {
        Self {
            answer,
            peer,
            open: BTreeMap::new(),
            stop_reason: None,
            counts: Counts::default(),
            reported_model: None,
            response_id: None,
            began: false,
        }
    }

    fn message(&mut self, message: &Value) {
        self.began = true;
        let text = |key: &str| message.get(key).and_then(Value::as_str).map(str::to_owned);
        self.reported_model = text("model").or(self.reported_model.take());
        self.response_id = text("id").or(self.response_id.take());
        self.end_state(message, message.get("usage"));
    }

    fn end_state(&mut self, holder: &Value, usage: Option<&Value>) {
        if let Some(word) = holder.get("stop_reason").and_then(Value::as_str) {
            self.stop_reason = Some(stop_reason(word));
        }
        if let Some(usage) = usage {
            self.counts.read(usage);
        }
    }

    fn start(&mut self, index: u64, block: &Value) -> Result<(), Error> {
        self.stop(index);
        self.began = true;
        let open = match self.word(block, "type")? {
            "text" => {
                let text = self.word(block, "text")?;
                let slot = self.answer.open_text();
                self.answer.append(slot, text);
                Open::Text(slot)
            }
            "thinking" => {
                let (text, signature) = (self.word(block, "thinking")?, self.word(block, "signature")?);
                let slot = self.answer.open_thinking();
                self.answer.append(slot, text);
                self.sign(slot, signature);
                Open::Thinking(slot)
            }
            "tool_use" => {
                let (id, name) = (self.word(block, "id")?, self.word(block, "name")?);
                let slot = self.answer.open_call(id, name);
                Open::Call(slot, block.get("input").cloned().unwrap_or_default())
            }
            _ => Open::Other(block.clone(), String::new()),
        };
        self.open.insert(index, open);
        Ok(())
    }

    /// The text at a key of a block; an empty one where there is none. What can't be read must not pass for silence.
    fn word<'v>(&self, block: &'v Value, key: &str) -> Result<&'v str, Error> {
        match block.get(key) {
            Some(Value::String(text)) => Ok(text),
            None | Some(Value::Null) if block.is_object() => Ok(""),
            _ => Err(self.peer.garbage(&block.to_string())),
        }
    }

    fn sign(&mut self, slot: Slot, piece: &str) {
        if !piece.is_empty() {
            self.answer.sign(slot, piece);
        }
    }

    fn delta(&mut self, index: u64, delta: &Value) -> Result<(), Error> {
        match self.word(delta, "type")? {
            "text_delta" => {
                let text = self.word(delta, "text")?;
                let slot = self.text(index);
                self.answer.append(slot, text);
            }
            "thinking_delta" => {
                let text = self.word(delta, "thinking")?;
                let slot = self.thinking(index);
                self.answer.append(slot, text);
            }
            "signature_delta" => {
                let signature = self.word(delta, "signature")?;
                let slot = self.thinking(index);
                self.sign(slot, signature);
            }
            "input_json_delta" => {
                let piece = self.word(delta, "partial_json")?;
                self.input(index, piece)?;
            }
            // Citations and whatever comes to be: of no meaning to the content.
            _ => {}
        }
        Ok(())
    }

    /// The text block at an index, which servers in between forget to begin.
    fn text(&mut self, index: u64) -> Slot {
        if let Some(Open::Text(slot)) = self.open.get(&index) {
            return *slot;
        }
        self.stop(index);
        let slot = self.answer.open_text();
        self.open.insert(index, Open::Text(slot));
        slot
    }

    fn thinking(&mut self, index: u64) -> Slot {
        if let Some(Open::Thinking(slot)) = self.open.get(&index) {
            return *slot;
        }
        self.stop(index);
        let slot = self.answer.open_thinking();
        self.open.insert(index, Open::Thinking(slot));
        slot
    }

    fn input(&mut self, index: u64, piece: &str) -> Result<(), Error> {
        match self.open.get_mut(&index) {
            Some(Open::Call(slot, _)) => self.answer.append(*slot, piece),
            Some(Open::Other(_, input)) => input.push_str(piece),
            _ => {
                let what = format!("sent arguments for block {index}, which is no tool call");
                return Err(self.peer.error(ErrorKind::Upstream, what));
            }
        }
        Ok(())
    }

    fn stop(&mut self, index: u64) {
        match self.open.remove(&index) {
            Some(Open::Text(slot) | Open::Thinking(slot)) => self.answer.close(slot),
            Some(Open::Call(slot, input)) => {
                if self.answer.arguments(slot).is_empty() {
                    self.answer.append(slot, &object(input).to_string());
                }
                self.answer.close(slot);
            }
            Some(Open::Other(block, input)) => self.add_other(block, &input),
            None => {}
        }
    }

    fn add_other(&mut self, mut block: Value, input: &str) {
        if let Ok(input) = serde_json::from_str::<Value>(input)
            && let Some(block) = block.as_object_mut()
        {
            block.insert("input".to_owned(), input);
        }
        self.answer.add_other(name_of(&block), block);
    }

    fn reason(&self) -> FinishReason {
        let asks = self.answer.calls().next().is_some();
        match self.stop_reason {
            Some(FinishReason::Stop) | None if asks => FinishReason::ToolCalls,
            Some(FinishReason::ToolCalls) if !asks => FinishReason::Stop,
            Some(reason) => reason,
            None => FinishReason::Stop,
        }
    }
}

impl Protocol for Reply {
    fn event(&mut self, name: &str, value: &Value) -> Result<Progress, Error> {
        if !value.is_object() {
            return Err(self.peer.garbage(&value.to_string()));
        }
        let kind = value.get("type").and_then(Value::as_str).unwrap_or(name);
        let index = value.get("index").and_then(Value::as_u64).unwrap_or(0);
        match kind {
            "message_start" => self.message(value.get("message").unwrap_or(value)),
            "content_block_start" => self.start(index, value.get("content_block").unwrap_or(&Value::Null))?,
            "content_block_delta" => self.delta(index, value.get("delta").unwrap_or(&Value::Null))?,
            "content_block_stop" => self.stop(index),
            "message_delta" => self.end_state(value.get("delta").unwrap_or(&Value::Null), value.get("usage")),
            "message_stop" => return Ok(Progress::Done),
            // A whole message where a stream was asked for.
            "message" => self.whole(value)?,
            // `ping`, and whatever comes to be.
            _ => {}
        }
        Ok(if self.may_end() { Progress::Ending } else { Progress::More })
    }

    fn whole(&mut self, value: &Value) -> Result<(), Error> {
        let Some(content) = value.get("content").and_then(Value::as_array) else {
            return Err(self.peer.garbage(&value.to_string()));
        };
        self.message(value);
        for (index, block) in (0..).zip(content) {
            self.start(index, block)?;
            self.stop(index);
        }
        Ok(())
    }

    fn may_end(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn answer(&mut self) -> &mut Answer {
        &mut self.answer
    }

    fn usage(&self) -> Option<Usage> {
        self.counts.usage()
    }

    fn complete(mut self) -> Result<Completion, Error> {
        if !self.began {
            return Err(self
                .peer
                .error(ErrorKind::Upstream, "ended its answer without having said anything"));
        }
        // A call that was never closed was cut, and its arguments stay as they are.
        let reason = self.reason();
        let open = std::mem::take(&mut self.open);
        for block in open.into_values() {
            if let Open::Other(block, input) = block {
                self.add_other(block, &input);
            }
        }
        Ok(Completion {
            finish_reason: reason,
            usage: self.counts.usage(),
            answer: self.answer,
            reported_model: self.reported_model,
            response_id: self.response_id,
        })
    }
}

fn object(input: Value) -> Value {
    if input.is_object() { input } else { Value::Object(Map::new()) }
}

fn stop_reason(word: &str) -> FinishReason {
    match word {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}
