//! Measures what its configuration says, around a reply, and logs what each came to that was refused.

use std::cell::RefCell;

use cepa_sdk::telemetry::{Span, count};
use cepa_sdk::{Error, Middleware, OnReply, ReplyNext, ReplyRequest, ReplyResponse, Sink, clock, info};
use schemars::JsonSchema;
use serde::Deserialize;

/// One use of telemetry. A number is a span's place, in the order of their begins.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Use {
    Start(String, String),
    Child(usize, String, String),
    Attributes(usize, String),
    Fail(usize, String),
    End(usize),
    /// Lets go of the handle.
    Drop(usize),
    /// Loses the handle.
    Forget(usize),
    Count(String, f64, String),
    Sleep(u32),
    /// Starts a span with a name of so many bytes.
    Long(usize),
    Panic,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    uses: Vec<Use>,
}

struct Measure {
    config: Config,
    spans: RefCell<Vec<Option<Span>>>,
}

impl Middleware for Measure {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self { config, spans: RefCell::default() })
    }
}

fn gone() -> Error {
    Error::invalid("there is no such span")
}

impl Measure {
    fn with<T>(&self, at: usize, then: impl FnOnce(&Span) -> Result<T, Error>) -> Result<T, Error> {
        let spans = self.spans.borrow();
        let span = spans.get(at).and_then(Option::as_ref).ok_or_else(gone)?;
        then(span)
    }

    fn take(&self, at: usize) -> Result<Span, Error> {
        self.spans.borrow_mut().get_mut(at).and_then(Option::take).ok_or_else(gone)
    }

    fn keep(&self, span: Span) {
        self.spans.borrow_mut().push(Some(span));
    }

    fn run(&self, one: &Use) -> Result<(), Error> {
        match one {
            Use::Start(name, attributes) => self.keep(Span::start(name, attributes)?),
            Use::Child(at, name, attributes) => {
                let child = self.with(*at, |span| span.child(name, attributes))?;
                self.keep(child);
            }
            Use::Attributes(at, attributes) => self.with(*at, |span| span.set_attributes(attributes))?,
            Use::Fail(at, reason) => self.with(*at, |span| span.fail(reason))?,
            Use::End(at) => self.with(*at, |span| {
                span.end();
                Ok(())
            })?,
            Use::Drop(at) => drop(self.take(*at)?),
            Use::Forget(at) => std::mem::forget(self.take(*at)?),
            Use::Count(name, value, attributes) => count(name, *value, attributes)?,
            Use::Sleep(milliseconds) => clock::sleep(*milliseconds),
            Use::Long(bytes) => self.keep(Span::start(&"n".repeat(*bytes), "")?),
            Use::Panic => panic!("broken off on purpose"),
        }
        Ok(())
    }
}

impl OnReply for Measure {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        for one in &self.config.uses {
            if let Err(error) = self.run(one) {
                info!("{one:?}: {:?} {:?} {}", error.kind, error.code, error.message);
            }
        }
        next.run(request)
    }
}

cepa_sdk::export!(Measure: OnReply);
