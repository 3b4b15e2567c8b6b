//! Sends events without end, each of as many bytes as its configuration says.

use cepa_sdk::{
    Error, Event, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, OtherEvent, Sink,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Config {
    /// Bytes of one event.
    bytes: usize,
}

struct Flood(Config);

impl Middleware for Flood {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnModelCall for Flood {
    fn on_model_call(&self, _: ModelRequest, _: ModelNext, out: Sink) -> Result<ModelResponse, Error> {
        let json = format!("\"{}\"", "x".repeat(self.0.bytes));
        let event = Event::Other(OtherEvent { name: "flood".to_owned(), json });
        loop {
            out.emit(std::slice::from_ref(&event))?;
        }
    }
}

cepa_sdk::export!(Flood: OnModelCall);
