//! What is inside the layer in a test.

use crate::{
    ContentBlock, Error, Event, ModelResponse, ReasoningResponse, ReplyResponse, ResultPart, TextDelta,
    ToolResponse, ToolState,
};

/// One scripted run of what is inside: its events, and then its result.
#[derive(Debug)]
pub struct Answer<A> {
    pub(crate) events: Vec<Event>,
    pub(crate) result: Result<A, Error>,
}

impl<A> Answer<A> {
    /// A response without events.
    pub fn response(response: A) -> Self {
        Self { events: Vec::new(), result: Ok(response) }
    }

    /// An error without events.
    pub fn error(error: Error) -> Self {
        Self { events: Vec::new(), result: Err(error) }
    }

    /// The same, with these events before the result.
    #[must_use]
    pub fn after(mut self, events: impl IntoIterator<Item = Event>) -> Self {
        self.events.extend(events);
        self
    }
}

impl<A: Spoken> Answer<A> {
    /// An answer of one text: a model's, a step's or a reply's, streamed whole, or a tool's.
    pub fn text(text: &str) -> Self {
        A::spoken(text)
    }
}

/// What can answer with a text.
pub trait Spoken: Sized {
    /// The answer.
    fn spoken(text: &str) -> Answer<Self>;
}

macro_rules! streamed {
    ($($response:ident)*) => {$(
        impl Spoken for $response {
            fn spoken(text: &str) -> Answer<Self> {
                let id = "text".to_owned();
                Answer::response(Self::new(&[ContentBlock::text(text)])).after([
                    Event::TextStart(id.clone()),
                    Event::TextDelta(TextDelta { id: id.clone(), text: text.to_owned() }),
                    Event::TextEnd(id),
                ])
            }
        }
    )*};
}

streamed!(ModelResponse ReasoningResponse ReplyResponse);

impl Spoken for ToolResponse {
    fn spoken(text: &str) -> Answer<Self> {
        Answer::response(Self::new(ToolState::Success, &[ResultPart::text(text)]))
    }
}
