//! Spans of time and counters for the operator: the contract's `telemetry`, and a span around work on top of it.

use crate::Error;
pub use crate::backend::telemetry::{Span, count};

/// Does some work within a span of this name, whose failure is the work's error. Where nothing may be measured, the work
/// is done all the same.
///
/// # Errors
/// The work's own.
pub fn measured<T>(name: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let span = Span::start(name, "");
    let result = work();
    if let (Ok(span), Err(error)) = (&span, &result) {
        // What can't be noted of a failure does not make another one.
        let _ = span.fail(&error.message);
    }
    result
}
