//! Tries a failed model call again, with growing waits.
//!
//! What a failed attempt has streamed is withdrawn by the host when the next run starts.

mod backoff;
mod config;

#[cfg(test)]
mod tests;

use cepa_sdk::{
    ContentBlock, Error, ErrorKind, Event, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall,
    Sink, clock, warn,
};
use serde_json::json;

pub use config::{Config, OnFailure};

/// The middleware.
#[derive(Debug)]
pub struct ModelRetry(Config);

impl ModelRetry {
    /// How long to wait before this retry (from 0), after waits of `waited` milliseconds; nothing when the call is not
    /// to be tried again.
    fn wait(&self, error: &Error, retry: u32, waited: u32) -> Option<u32> {
        if retry >= self.0.max_retries || !self.retries(error) {
            return None;
        }
        let asked = error.retry_after_ms.unwrap_or(0);
        // A call that comes earlier than the provider asks for only fails again.
        if asked > self.0.max_delay_ms {
            return None;
        }
        let wait = backoff::delay(&self.0, retry).max(asked);
        // A wait past the layer's own time would be a fault, and hide the error from whoever is outside.
        (waited.saturating_add(wait) <= self.0.max_total_wait_ms).then_some(wait)
    }

    fn retries(&self, error: &Error) -> bool {
        match error.kind {
            // A decision of a person or of a rule is no failure.
            ErrorKind::Aborted | ErrorKind::Denied => false,
            kind if self.0.retry_on.is_empty() => error.retryable && kind != ErrorKind::Limit,
            kind => self.0.retry_on.contains(&kind),
        }
    }

    fn give_up(&self, error: Error, retries: u32) -> Result<ModelResponse, Error> {
        if self.0.on_failure == OnFailure::Error
            || matches!(error.kind, ErrorKind::Aborted | ErrorKind::Denied)
        {
            return Err(error);
        }
        let text = format!("The model call failed after {} attempts: {}", retries + 1, error.message);
        Ok(ModelResponse::new(&[ContentBlock::text(text)]))
    }
}

impl Middleware for ModelRetry {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        config.checked().map(Self)
    }
}

impl OnModelCall for ModelRetry {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let (mut retry, mut waited) = (0, 0_u32);
        loop {
            let error = match next.run(request.clone()) {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let Some(wait) = self.wait(&error, retry, waited) else {
                return self.give_up(error, retry);
            };
            retry += 1;
            waited = waited.saturating_add(wait);
            let (kind, of) = (error.kind.name(), self.0.max_retries);
            warn!("model call failed ({kind}: {}): retry {retry} of {of} in {wait} ms", error.message);
            let event = json!({ "retry": retry, "max-retries": of, "kind": kind, "wait-ms": wait });
            out.emit(&[Event::other("model-retry", &event)])?;
            clock::sleep(wait);
        }
    }
}

cepa_sdk::export!(ModelRetry: OnModelCall);
