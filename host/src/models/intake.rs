//! Tells a stream from a plain answer, and gives the provider's protocol one piece after another.
//!
//! The content type is not believed: servers stream as `application/json` and answer whole as `text/event-stream`.
//! The first byte that says something decides.

mod opening;

use std::sync::Arc;

use serde_json::Value;

use opening::{Form, Opening};

use super::answer::Answer;
use super::peer::Peer;
use super::sse::{Decoder, SseEvent};
use crate::error::Error;
use crate::message::{FinishReason, Usage};

/// Whether more of an answer is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It goes on.
    More,
    /// What matters is there; what follows is of no interest, but may be waited for a moment.
    Ending,
    /// It is complete.
    Done,
}

/// How one provider's answer is understood. Knows nothing of connections.
pub(super) trait Protocol {
    /// Takes one event of a stream.
    fn event(&mut self, name: &str, value: &Value) -> Result<Progress, Error>;
    /// Takes an answer that came whole.
    fn whole(&mut self, value: &Value) -> Result<(), Error>;
    /// Whether the answer could end here: the model said why it stopped.
    fn may_end(&self) -> bool;
    /// The answer so far.
    fn answer(&mut self) -> &mut Answer;
    /// The tokens so far, once some are reported.
    fn usage(&self) -> Option<Usage>;
    /// What the answer came to, once it is complete.
    fn complete(self) -> Result<Completion, Error>;
}

/// What an answer came to.
#[derive(Debug)]
pub(super) struct Completion {
    pub(super) answer: Answer,
    pub(super) finish_reason: FinishReason,
    pub(super) usage: Option<Usage>,
    pub(super) reported_model: Option<String>,
    /// The provider's own id of the answer.
    pub(super) response_id: Option<String>,
}

/// How much of a stream without events is kept to show what came instead, in bytes.
const HEAD_BYTES: usize = 2048;

/// Takes the bytes of an answer in any portions.
#[derive(Debug)]
pub(super) struct Intake<P> {
    protocol: P,
    peer: Arc<Peer>,
    framing: Framing,
}

#[derive(Debug)]
enum Framing {
    /// Nothing that says anything so far.
    Unknown(Opening),
    Whole(Vec<u8>),
    Events {
        decoder: Decoder,
        /// The beginning of the stream, for as long as there is no event in it.
        head: Vec<u8>,
        heard: bool,
    },
}

impl<P: Protocol> Intake<P> {
    pub(super) fn new(protocol: P, peer: Arc<Peer>) -> Self {
        Self { protocol, peer, framing: Framing::Unknown(Opening::default()) }
    }

    /// The answer so far.
    pub(super) fn answer(&mut self) -> &mut Answer {
        self.protocol.answer()
    }

    /// The tokens so far, once some are reported.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.protocol.usage()
    }

    /// The protocol, which has seen everything.
    pub(super) fn into_protocol(self) -> P {
        self.protocol
    }

    /// Takes one portion.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Progress, Error> {
        match &mut self.framing {
            Framing::Unknown(opening) => {
                let Some(form) = opening.take(bytes) else { return Ok(Progress::More) };
                let head = std::mem::take(opening).into_bytes();
                self.framing = Framing::of(form);
                self.feed(&head)
            }
            Framing::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(Progress::More)
            }
            Framing::Events { decoder, head, heard } => {
                if !*heard {
                    head.extend(bytes.iter().take(HEAD_BYTES.saturating_sub(head.len())));
                }
                let mut events = Vec::new();
                decoder.feed(bytes, &mut events);
                *heard |= !events.is_empty();
                self.events(&events)
            }
        }
    }

    /// Takes the end. `cut` says why the bytes ended, if not by themselves.
    pub(super) fn end(&mut self, cut: Option<Error>) -> Result<(), Error> {
        match std::mem::replace(&mut self.framing, Framing::Unknown(Opening::default())) {
            Framing::Unknown(_) => Err(cut.unwrap_or_else(|| self.peer.garbage(""))),
            Framing::Whole(body) => match cut {
                Some(cut) => Err(cut),
                None => self.whole(&String::from_utf8_lossy(&body)),
            },
            Framing::Events { decoder, head, heard } => {
                let mut events = Vec::new();
                decoder.end(&mut events);
                // The last line may be cut anywhere: it counts only if it is whole.
                events.retain(|event| is_done(&event.data) || parse(&event.data).is_some());
                let heard = heard || !events.is_empty();
                if self.events(&events)? == Progress::Done || self.protocol.may_end() {
                    return Ok(());
                }
                Err(cut.unwrap_or_else(|| match heard {
                    true => self.peer.cut(),
                    false => self.peer.garbage(&String::from_utf8_lossy(&head)),
                }))
            }
        }
    }

    fn whole(&mut self, body: &str) -> Result<(), Error> {
        let value: Value =
            serde_json::from_str(body.trim_start_matches('\u{feff}')).map_err(|_| self.peer.garbage(body))?;
        match self.peer.reported(&value) {
            Some(error) => Err(error),
            None => self.protocol.whole(&value),
        }
    }

    fn events(&mut self, events: &[SseEvent]) -> Result<Progress, Error> {
        let mut progress = if self.protocol.may_end() { Progress::Ending } else { Progress::More };
        for event in events {
            progress = self.event(event)?;
            if progress == Progress::Done {
                break;
            }
        }
        Ok(progress)
    }

    fn event(&mut self, event: &SseEvent) -> Result<Progress, Error> {
        if event.name == "error" {
            return Err(self.peer.reported_text(&event.data));
        }
        if is_done(&event.data) {
            return Ok(Progress::Done);
        }
        if event.data.trim().is_empty() {
            return Ok(Progress::More);
        }
        let value = parse(&event.data).ok_or_else(|| self.peer.garbage(&event.data))?;
        match self.peer.reported(&value) {
            Some(error) => Err(error),
            None => self.protocol.event(&event.name, &value),
        }
    }
}

impl Framing {
    fn of(form: Form) -> Self {
        match form {
            Form::Whole => Self::Whole(Vec::new()),
            Form::Events => Self::Events { decoder: Decoder::default(), head: Vec::new(), heard: false },
        }
    }
}

fn parse(data: &str) -> Option<Value> {
    serde_json::from_str(data).ok()
}

fn is_done(data: &str) -> bool {
    data.trim() == "[DONE]"
}
