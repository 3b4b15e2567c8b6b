//! The spans that a guest has begun in its hook call, until they end.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::telemetry::{Source, Span};

/// A guest's span.
pub struct SpanHandle(u64);

/// A span that has not ended.
pub(super) struct OpenSpan {
    pub(super) source: Source,
    /// Without its duration.
    pub(super) span: Span,
    /// Since the fixed moment of the world.
    pub(super) started: Duration,
}

impl OpenSpan {
    /// The span, which ends now.
    fn end(self, now: Duration) -> (Source, Span) {
        let spent = now.saturating_sub(self.started).as_micros();
        let duration_us = u64::try_from(spent).unwrap_or(u64::MAX);
        (self.source, Span { duration_us, ..self.span })
    }
}

/// The open spans of one instance, in the order of their begins.
#[derive(Default)]
pub(super) struct OpenSpans {
    begun: u64,
    open: BTreeMap<u64, OpenSpan>,
}

impl OpenSpans {
    pub(super) fn begin(&mut self, span: OpenSpan) -> SpanHandle {
        self.begun += 1;
        self.open.insert(self.begun, span);
        SpanHandle(self.begun)
    }

    /// The span behind a handle, unless it has ended.
    pub(super) fn get(&mut self, handle: &SpanHandle) -> Option<&mut Span> {
        self.open.get_mut(&handle.0).map(|open| &mut open.span)
    }

    /// Ends a span; `None` when it had ended before.
    pub(super) fn end(&mut self, handle: &SpanHandle, now: Duration) -> Option<(Source, Span)> {
        self.open.remove(&handle.0).map(|open| open.end(now))
    }

    /// Ends all spans, the last that was begun first, so that none ends before what is inside it.
    pub(super) fn end_all(&mut self, now: Duration) -> Vec<(Source, Span)> {
        std::mem::take(&mut self.open).into_values().rev().map(|open| open.end(now)).collect()
    }
}
