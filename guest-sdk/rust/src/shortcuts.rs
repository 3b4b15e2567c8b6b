//! What most layers do with a run of `next` and with a response, in one call.

use crate::{
    CompressNext, CompressRequest, CompressResponse, ContentBlock, Error, Event, EventKinds, ModelNext,
    ModelRequest, ModelResponse, ReasoningNext, ReasoningRequest, ReasoningResponse, ReplyNext, ReplyRequest,
    ReplyResponse, Sink, ToolNext, ToolRequest, ToolResponse,
};

macro_rules! changing {
    ($($next:ident $request:ident $response:ident)*) => {$(
        impl $next {
            /// Runs what is inside, and sends outward what `change` makes of each event of these kinds; `None` drops
            /// it. Events of other kinds pass by.
            ///
            /// This changes what is read while it comes. What holds in the end is the response: where the two differ,
            /// the host corrects the stream with `message-replaced`. So change the response likewise, for example with
            /// `set_text`.
            pub fn run_changing(
                &self,
                request: $request,
                kinds: EventKinds,
                out: &Sink,
                mut change: impl FnMut(Event) -> Option<Event>,
            ) -> Result<$response, Error> {
                let run = self.start(request);
                loop {
                    let events = run.next(kinds);
                    if events.is_empty() {
                        return run.finish();
                    }
                    let changed: Vec<Event> = events.into_iter().filter_map(&mut change).collect();
                    out.emit(&changed)?;
                }
            }
        }
    )*};
}

changing! {
    ReplyNext ReplyRequest ReplyResponse
    ReasoningNext ReasoningRequest ReasoningResponse
    ModelNext ModelRequest ModelResponse
    ToolNext ToolRequest ToolResponse
    CompressNext CompressRequest CompressResponse
}

macro_rules! said_by_model {
    ($($response:ident)*) => {$(
        impl $response {
            /// Puts one text in the place of the message's texts. All else in it stays: thoughts, calls and data.
            pub fn set_text(&self, text: &str) -> Result<(), Error> {
                self.set_content(&with_text(self.message().content, text))
            }
        }
    )*};
}

said_by_model!(ModelResponse ReasoningResponse);

impl ReplyResponse {
    /// Puts one text in the place of the message's texts. All else in it stays: thoughts and data.
    pub fn set_text(&self, text: &str) -> Result<(), Error> {
        self.set_content(&with_text(self.message().map(|message| message.content).unwrap_or_default(), text))
    }
}

/// The content with this text where its first text stood; without one, before the calls.
fn with_text(content: Vec<ContentBlock>, text: &str) -> Vec<ContentBlock> {
    let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
    let place = content
        .iter()
        .position(is_text)
        .or_else(|| content.iter().position(|block| matches!(block, ContentBlock::ToolCall(_))))
        .unwrap_or(content.len());
    let mut changed: Vec<ContentBlock> = content.into_iter().filter(|block| !is_text(block)).collect();
    changed.insert(place.min(changed.len()), ContentBlock::text(text));
    changed
}
