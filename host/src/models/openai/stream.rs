//! Understands a Chat Completions answer, streamed or whole.

use std::sync::Arc;

use serde_json::Value;

use super::tool_calls::ToolCalls;
use crate::error::{Error, ErrorKind};
use crate::message::{FinishReason, ToolDefinition, Usage};
use crate::models::answer::{Answer, Slot, is_whole};
use crate::models::intake::{Completion, Progress, Protocol};
use crate::models::peer::Peer;
use crate::models::usage::{count, keep, keep_detail};

/// An answer on its way.
#[derive(Debug)]
pub(super) struct Chat {
    answer: Answer,
    peer: Arc<Peer>,
    calls: ToolCalls,
    /// The block that text or thoughts go on in.
    open: Option<(Kind, Slot)>,
    finish_reason: Option<FinishReason>,
    usage: Usage,
    reported_model: Option<String>,
    response_id: Option<String>,
    saw_choice: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

impl Chat {
    pub(super) fn new(answer: Answer, tools: Arc<Vec<ToolDefinition>>, peer: Arc<Peer>) -> Self {
        Self {
            answer,
            peer,
            calls: ToolCalls::new(tools),
            open: None,
            finish_reason: None,
            usage: Usage::default(),
            reported_model: None,
            response_id: None,
            saw_choice: false,
        }
    }

    fn chunk(&mut self, chunk: &Value) -> Result<(), Error> {
        if !chunk.is_object() {
            return Err(self.peer.garbage(&chunk.to_string()));
        }
        let text = |key: &str| chunk.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(model) = text("model") {
            self.reported_model = Some(model.to_owned());
        }
        if let Some(id) = text("id") {
            self.response_id = Some(id.to_owned());
        }
        for usage in [chunk.get("usage"), chunk.pointer("/x_groq/usage")].into_iter().flatten() {
            read_usage(&mut self.usage, usage);
        }
        for choice in self.list(chunk, "choices")?.iter().filter(|choice| is_first(choice)) {
            self.choice(choice)?;
        }
        Ok(())
    }

    fn choice(&mut self, choice: &Value) -> Result<(), Error> {
        self.saw_choice = true;
        // A whole message comes in plain answers, and from some servers at the end of a stream of nothing else.
        match choice.get("delta").or_else(|| choice.get("message")) {
            None | Some(Value::Null) => {}
            Some(delta @ Value::Object(_)) => self.delta(delta)?,
            Some(_) => return Err(self.peer.garbage(&choice.to_string())),
        }
        // Usage may still be counted on the last choice alone.
        if let Some(usage) = choice.get("usage") {
            read_usage(&mut self.usage, usage);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str)
            && !reason.is_empty()
        {
            self.finish_reason = Some(finish_reason(reason));
        }
        Ok(())
    }

    /// The list at a key; an empty one where there is none.
    fn list<'v>(&self, holder: &'v Value, key: &str) -> Result<&'v [Value], Error> {
        match holder.get(key) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(self.peer.garbage(&holder.to_string())),
        }
    }

    fn delta(&mut self, delta: &Value) -> Result<(), Error> {
        // Servers in the middle of renaming the field send both.
        let thought = ["reasoning_content", "reasoning"].iter().find_map(|key| {
            let text = flat(delta.get(*key)?, "text");
            (!text.is_empty()).then_some(text)
        });
        self.speak(Kind::Thinking, &thought.unwrap_or_default());
        match delta.get("content") {
            None | Some(Value::Null) => {}
            Some(content @ (Value::String(_) | Value::Array(_))) => {
                self.speak(Kind::Thinking, &flat(content, "thinking"));
                self.speak(Kind::Text, &flat(content, "text"));
            }
            // What can't be read must not pass for silence.
            Some(_) => return Err(self.peer.garbage(&delta.to_string())),
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str) {
            self.speak(Kind::Text, refusal);
        }
        let fragments = self.list(delta, "tool_calls")?;
        for fragment in fragments {
            self.pause();
            self.calls.fragment(fragment, &mut self.answer);
        }
        // The same call may come in the form of old beside the new one.
        if let Some(call) = delta.get("function_call").filter(|call| call.is_object())
            && fragments.is_empty()
        {
            self.pause();
            self.calls.legacy(call, &mut self.answer);
        }
        Ok(())
    }

    fn speak(&mut self, kind: Kind, piece: &str) {
        if piece.is_empty() {
            return;
        }
        let slot = match self.open {
            Some((open, slot)) if open == kind => slot,
            _ => {
                self.pause();
                self.calls.begin_last(&mut self.answer);
                let slot = match kind {
                    Kind::Text => self.answer.open_text(),
                    Kind::Thinking => self.answer.open_thinking(),
                };
                self.open = Some((kind, slot));
                slot
            }
        };
        self.answer.append(slot, piece);
    }

    /// Closes the block of text or thoughts, since something else follows.
    fn pause(&mut self) {
        if let Some((_, slot)) = self.open.take() {
            self.answer.close(slot);
        }
    }

    fn reason(&self) -> FinishReason {
        let mut calls = self.answer.calls().peekable();
        let asks = calls.peek().is_some();
        match self.finish_reason {
            Some(FinishReason::Stop | FinishReason::ToolCalls) if asks => FinishReason::ToolCalls,
            Some(FinishReason::ToolCalls) => FinishReason::Stop,
            Some(reason) => reason,
            None if calls.any(|call| !is_blank(&call.arguments) && !is_whole(&call.arguments)) => {
                FinishReason::Length
            }
            None if asks => FinishReason::ToolCalls,
            None => FinishReason::Stop,
        }
    }
}

impl Protocol for Chat {
    fn event(&mut self, _name: &str, value: &Value) -> Result<Progress, Error> {
        self.chunk(value)?;
        Ok(if self.may_end() { Progress::Ending } else { Progress::More })
    }

    fn whole(&mut self, value: &Value) -> Result<(), Error> {
        self.chunk(value)?;
        if self.saw_choice { Ok(()) } else { Err(self.peer.garbage(&value.to_string())) }
    }

    fn may_end(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn answer(&mut self) -> &mut Answer {
        &mut self.answer
    }

    fn usage(&self) -> Option<Usage> {
        (self.usage != Usage::default()).then(|| self.usage.clone())
    }

    fn complete(mut self) -> Result<Completion, Error> {
        if !self.saw_choice {
            return Err(self
                .peer
                .error(ErrorKind::Upstream, "ended its answer without having said anything"));
        }
        self.calls.begin_last(&mut self.answer);
        let finish_reason = self.reason();
        if finish_reason != FinishReason::Length {
            self.calls.fill(&mut self.answer);
        }
        Ok(Completion {
            finish_reason,
            usage: self.usage(),
            answer: self.answer,
            reported_model: self.reported_model,
            response_id: self.response_id,
        })
    }
}

/// Whether this is the one choice that was asked for; the others of a server that sends several are not read.
fn is_first(choice: &Value) -> bool {
    choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0
}

/// A text that comes as a string, or in a list of parts that hold it under `key`, themselves strings or lists.
fn flat(content: &Value, key: &str) -> String {
    match content {
        Value::String(text) if key == "text" => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get(key)).map(inner).collect(),
        _ => String::new(),
    }
}

fn inner(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        parts => flat(parts, "text"),
    }
}

fn is_blank(arguments: &str) -> bool {
    arguments.trim().is_empty()
}

fn finish_reason(word: &str) -> FinishReason {
    match word {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => FinishReason::Stop,
        "length" | "max_tokens" => FinishReason::Length,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "content_filter" => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}

fn read_usage(usage: &mut Usage, value: &Value) {
    keep(&mut usage.input_tokens, value.get("prompt_tokens"));
    keep(&mut usage.output_tokens, value.get("completion_tokens"));
    keep(&mut usage.cache_read_tokens, value.get("prompt_cache_hit_tokens"));
    for group in ["prompt_tokens_details", "completion_tokens_details"] {
        for (name, number) in value.get(group).and_then(Value::as_object).into_iter().flatten() {
            match name.as_str() {
                "cached_tokens" => keep(&mut usage.cache_read_tokens, Some(number)),
                "cache_write_tokens" => keep(&mut usage.cache_write_tokens, Some(number)),
                "reasoning_tokens" => keep(&mut usage.reasoning_tokens, Some(number)),
                // A zero of a kind that plays no part would only be noise.
                _ if count(Some(number)) == Some(0) => {}
                _ => keep_detail(&mut usage.details, &format!("{group}.{name}"), number),
            }
        }
    }
}
