//! Asks another model when one fails.
//!
//! What a failed model has streamed is withdrawn by the host when the next run starts.

mod config;
mod foreign;

#[cfg(test)]
mod tests;

use cepa_sdk::{
    Error, ErrorKind, Event, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink, warn,
};
use serde_json::json;

pub use config::Config;

/// The middleware.
#[derive(Debug)]
pub struct ModelFallback(Config);

impl ModelFallback {
    fn falls_back(&self, error: &Error) -> bool {
        // A decision of a person or of a rule is no failure, whatever the configuration says.
        !matches!(error.kind, ErrorKind::Aborted | ErrorKind::Denied) && self.0.on.contains(&error.kind)
    }

    /// The request for one of the fallback models.
    fn request_to(&self, model: &str, request: &ModelRequest) -> Result<ModelRequest, Error> {
        let other = request.clone();
        other.set_model(model);
        foreign::strip(&other, &self.0)?;
        Ok(other)
    }
}

impl Middleware for ModelFallback {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        config.checked().map(Self)
    }
}

impl OnModelCall for ModelFallback {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let mut asked = request.model();
        let mut result = next.run(request.clone());
        for model in self.0.models.iter().filter(|model| **model != request.model()) {
            let error = match result {
                Err(error) if self.falls_back(&error) => error,
                ended => return ended,
            };
            let kind = error.kind.name();
            warn!("model `{asked}` failed ({kind}: {}): asking `{model}`", error.message);
            out.emit(&[Event::other(
                "model-fallback",
                &json!({ "from": asked, "to": model, "kind": kind }),
            )])?;
            result = next.run(self.request_to(model, &request)?);
            asked.clone_from(model);
        }
        result
    }
}

cepa_sdk::export!(ModelFallback: OnModelCall);
