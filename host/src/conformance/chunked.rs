//! A model whose answer comes in other pieces.

use futures::future::BoxFuture;

use crate::chain::{EventStream, Sink};
use crate::error::Error;
use crate::event::Event;
use crate::model::Model;
use crate::models::ScriptedModel;
use crate::request::{ModelRequest, ModelResponse};

/// Where each text of an answer is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cuts {
    /// As the script says it.
    None,
    /// Behind so many characters from its begin; in order.
    At(Vec<usize>),
    /// Behind each character.
    Everywhere,
}

impl Cuts {
    /// The pieces of a text.
    fn pieces(&self, text: &str) -> Vec<String> {
        let cut_before = |index: usize| match self {
            Self::None => false,
            Self::At(places) => places.contains(&index),
            Self::Everywhere => true,
        };
        let mut pieces = vec![String::new()];
        for (index, character) in text.chars().enumerate() {
            if index > 0 && cut_before(index) {
                pieces.push(String::new());
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push(character);
            }
        }
        pieces
    }

    fn apply(&self, event: Event) -> Vec<Event> {
        let each =
            |text: &str, event: &dyn Fn(String) -> Event| self.pieces(text).into_iter().map(event).collect();
        match event {
            Event::TextDelta { id, text } => each(&text, &|text| Event::TextDelta { id: id.clone(), text }),
            Event::ThinkingDelta { id, text } => {
                each(&text, &|text| Event::ThinkingDelta { id: id.clone(), text })
            }
            Event::ToolCallDelta { call_id, text } => {
                each(&text, &|text| Event::ToolCallDelta { call_id: call_id.clone(), text })
            }
            other => vec![other],
        }
    }
}

/// A scripted model whose answers come in these pieces.
pub(super) struct Chunked {
    pub(super) model: ScriptedModel,
    pub(super) cuts: Cuts,
}

impl Model for Chunked {
    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn model_name(&self) -> &str {
        self.model.model_name()
    }

    fn call(
        &self,
        request: ModelRequest,
        call_id: String,
        out: Sink,
    ) -> BoxFuture<'static, Result<ModelResponse, Error>> {
        if self.cuts == Cuts::None {
            return self.model.call(request, call_id, out);
        }
        let (inner, events) = Sink::stream();
        let (answer, cuts) = (self.model.call(request, call_id, inner), self.cuts.clone());
        Box::pin(async move {
            let (answer, sent) = tokio::join!(answer, cut(events, &cuts, &out));
            sent?;
            answer
        })
    }
}

async fn cut(mut events: EventStream, cuts: &Cuts, out: &Sink) -> Result<(), Error> {
    while let Some(event) = events.next().await {
        out.emit(cuts.apply(event)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        let pieces = |cuts: Cuts| cuts.pieces("aü👋z");
        assert_eq!(pieces(Cuts::None), ["aü👋z"]);
        assert_eq!(pieces(Cuts::At(vec![1, 3])), ["a", "ü👋", "z"]);
        assert_eq!(pieces(Cuts::Everywhere), ["a", "ü", "👋", "z"]);
    }
}
