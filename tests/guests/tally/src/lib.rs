//! Counts model calls in its state, as a plain number, and answers how many there were.

use cepa_sdk::{
    ContentBlock, Error, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink,
    state::{self, Scope},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    label: String,
}

struct Tally(Config);

impl Middleware for Tally {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnModelCall for Tally {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let count = state::increment(Scope::Layer, "count", 1.0)?;
        let response = next.run(request)?;
        response.set_content(&[ContentBlock::Text(format!("{}: {count}", self.0.label))])?;
        Ok(response)
    }
}

cepa_sdk::export!(Tally: OnModelCall);
