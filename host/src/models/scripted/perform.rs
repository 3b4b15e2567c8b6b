//! Gives a turn as an answer.

use serde_json::Map;

use super::script::Turn;
use crate::chain::Sink;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::message::{Message, Role};
use crate::models::answer::Answer;
use crate::request::{ModelRequest, ModelResponse, ModelResponseData};

/// A turn, given to a request.
pub(super) struct Performance<'a> {
    pub(super) turn: &'a Turn,
    pub(super) request: &'a ModelRequest,
    pub(super) out: &'a Sink,
}

impl Performance<'_> {
    /// Streams the turn and gives the response, or the error that the turn ends with.
    pub(super) async fn give(self, call_id: String) -> Result<ModelResponse, Error> {
        if let Some(usage) = &self.turn.usage {
            self.out.spent(usage);
        }
        let mut answer = Answer::new(&call_id, self.request);
        self.say(&mut answer);
        let events = answer.take_events();
        if let Some(cut_after) = self.turn.cut_after
            && cut_after < events.len()
        {
            return Err(self.cut(events, cut_after).await?);
        }
        self.out.emit(events).await?;
        match &self.turn.error {
            Some(error) => Err(error.clone()),
            None => Ok(self.response(call_id, answer)),
        }
    }

    fn say(&self, answer: &mut Answer) {
        if !self.turn.thinking.is_empty() {
            let slot = answer.open_thinking();
            self.stream(&self.turn.thinking, |piece| answer.append(slot, piece));
            answer.close(slot);
        }
        let pieces: Vec<_> = self.turn.text.iter().map(|piece| piece.fill(self.request)).collect();
        if pieces.iter().any(|piece| !piece.is_empty()) {
            let slot = answer.open_text();
            for piece in &pieces {
                self.stream(piece, |piece| answer.append(slot, piece));
            }
            answer.close(slot);
        }
        for call in &self.turn.calls {
            let slot = answer.open_call(&call.id, &call.name);
            self.stream(&call.arguments, |piece| answer.append(slot, piece));
            answer.close(slot);
        }
    }

    /// Hands out a text in pieces of the turn's size.
    fn stream(&self, text: &str, mut piece: impl FnMut(&str)) {
        let Some(size) = self.turn.chunk else { return piece(text) };
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(size).map_or(rest.len(), |(end, _)| end);
            let (head, tail) = rest.split_at(end);
            piece(head);
            rest = tail;
        }
    }

    /// Breaks off after some events, as a connection does: what is open is closed, since a provider would close it.
    async fn cut(&self, mut events: Vec<Event>, cut_after: usize) -> Result<Error, Error> {
        let ends = events.split_off(cut_after).into_iter().find(is_end);
        let open = !events.last().is_none_or(is_end);
        self.out.emit(events).await?;
        if let Some(end) = ends.filter(|_| open) {
            self.out.send(end).await?;
        }
        let plural = if cut_after == 1 { "" } else { "s" };
        Ok(Error::new(
            ErrorKind::Connection,
            format!("the script cut the connection after {cut_after} event{plural}"),
        ))
    }

    fn response(&self, call_id: String, answer: Answer) -> ModelResponse {
        ModelResponse::new(ModelResponseData {
            id: call_id,
            model: self.request.model.clone(),
            reported_model: None,
            provider: "scripted".to_owned(),
            message: Message::new(Role::Assistant, answer.into_content()),
            usage: self.turn.usage.clone(),
            finish_reason: self.turn.finish_reason,
            metadata: Map::new(),
        })
    }
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::TextEnd { .. } | Event::ThinkingEnd { .. } | Event::ToolCallEnd { .. })
}
