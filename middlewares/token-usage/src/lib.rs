//! Counts the tokens of model calls: of the latest, of the run and of the session, by model.
//!
//! It watches only: what goes wrong with its counting is logged and changes no reply.

mod bucket;
mod config;
mod tally;

#[cfg(test)]
mod tests;

use cepa_sdk::state::{self, Scope};
use cepa_sdk::{
    Error, Event, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, OnTurnEnd, Sink,
    TurnSummary, error, info,
};
use serde_json::json;

pub use bucket::{Bucket, Counts};
pub use config::Config;
pub use tally::{Latest, Tally};

/// The key of the run's tally in the scope `reply`, and of the session's in the scope `session`.
pub const TALLY: &str = "usage";
/// The key of the latest call in the scope `reply`.
pub const LATEST: &str = "latest";

/// The middleware.
#[derive(Debug)]
pub struct TokenUsage(Config);

impl TokenUsage {
    fn count(&self, response: &ModelResponse, out: &Sink) -> Result<(), Error> {
        let latest = Latest::of(response);
        let excluded = self.0.exclude_providers.contains(&latest.provider);
        let add = |tally: &mut Tally| {
            tally.add(&latest, excluded);
            Ok(tally.clone())
        };
        let run = state::update_json(Scope::Reply, TALLY, add)?;
        let session = state::update_json(Scope::Session, TALLY, add)?;
        state::set_json(Scope::Reply, LATEST, &latest)?;
        if !self.0.events {
            return Ok(());
        }
        out.emit(&[Event::other("token-usage", &json!({ "latest": latest, "run": run, "session": session }))])
    }
}

impl Middleware for TokenUsage {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnModelCall for TokenUsage {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let response = next.run(request)?;
        // An answer of an inner layer, for example from a cache, was no model call.
        if !response.id().is_empty() {
            self.count(&response, &out).unwrap_or_else(|cause| {
                error!("the tokens of a model call are not counted: {}", cause.message);
            });
        }
        Ok(response)
    }
}

impl OnTurnEnd for TokenUsage {
    fn on_turn_end(&self, _: TurnSummary) {
        for (name, scope) in [("run", Scope::Reply), ("session", Scope::Session)] {
            match state::get_json::<Tally>(scope, TALLY) {
                Ok(tally) => info!("{name}: {}", tally.unwrap_or_default()),
                Err(cause) => error!("the tokens of the {name} can't be read: {}", cause.message),
            }
        }
    }
}

cepa_sdk::export!(TokenUsage: OnModelCall, OnTurnEnd);
