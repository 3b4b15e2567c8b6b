//! Spans and counts. The rig's world takes them.

use serde_json::{Map, Value};

use crate::Error;
use crate::rig::{Capability, granted, with};

/// A span, for a test to look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanData {
    /// What it is.
    pub name: String,
    /// The place in the rig's spans of the one that it is inside of.
    pub parent: Option<usize>,
    /// What is known of it.
    pub attributes: Map<String, Value>,
    /// Why it failed.
    pub failure: Option<String>,
    /// Milliseconds since the rig was made.
    pub start_ms: u64,
    /// The same of its end; absent while it goes on.
    pub end_ms: Option<u64>,
}

/// What was added to a counter.
#[derive(Clone, Debug, PartialEq)]
pub struct CountData {
    /// The counter.
    pub name: String,
    /// What was added.
    pub value: f64,
    /// What is known of it.
    pub attributes: Map<String, Value>,
}

fn attributes(text: &str) -> Result<Map<String, Value>, Error> {
    if text.is_empty() { Ok(Map::new()) } else { Ok(serde_json::from_str(text)?) }
}

fn begin(name: &str, known: &str, parent: Option<usize>) -> Result<Span, Error> {
    granted(Capability::Telemetry, |world| {
        let (name, attributes, start_ms) = (name.to_owned(), attributes(known)?, world.elapsed_ms);
        world.spans.push(SpanData { name, parent, attributes, start_ms, ..SpanData::default() });
        Ok(Span(world.spans.len() - 1))
    })?
}

/// Something that takes time. It ends when it is told to, or dropped.
#[derive(Debug)]
pub struct Span(usize);

#[expect(missing_docs, reason = "each method is documented in wit/capabilities.wit")]
impl Span {
    pub fn start(name: &str, attributes: &str) -> Result<Self, Error> {
        begin(name, attributes, None)
    }

    pub fn child(&self, name: &str, attributes: &str) -> Result<Self, Error> {
        self.change(|_| Ok(()))?;
        begin(name, attributes, Some(self.0))
    }

    pub fn set_attributes(&self, known: &str) -> Result<(), Error> {
        self.change(|span| {
            span.attributes.extend(attributes(known)?);
            Ok(())
        })
    }

    pub fn fail(&self, reason: &str) -> Result<(), Error> {
        self.change(|span| {
            span.failure = Some(reason.to_owned());
            Ok(())
        })
    }

    pub fn end(&self) {
        with(|world| {
            let now = world.elapsed_ms;
            if let Some(span) = world.spans.get_mut(self.0) {
                span.end_ms.get_or_insert(now);
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut SpanData) -> Result<(), Error>) -> Result<(), Error> {
        with(|world| match world.spans.get_mut(self.0).filter(|span| span.end_ms.is_none()) {
            Some(span) => change(span),
            None => Err(Error::invalid("this span has ended")),
        })
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        self.end();
    }
}

/// Adds to a counter.
pub fn count(name: &str, value: f64, known: &str) -> Result<(), Error> {
    granted(Capability::Telemetry, |world| {
        if !value.is_finite() || value < 0.0 {
            return Err(Error::invalid(format!("{value} can't be added to a counter")));
        }
        world.counts.push(CountData { name: name.to_owned(), value, attributes: attributes(known)? });
        Ok(())
    })?
}
