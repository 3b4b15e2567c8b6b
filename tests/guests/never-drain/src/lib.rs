//! Starts what is inside, and sleeps for an hour instead of reading its events.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct NeverDrain;

impl Middleware for NeverDrain {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for NeverDrain {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let run = next.start(request);
        cepa_sdk::clock::sleep(3_600_000);
        run.finish()
    }
}

cepa_sdk::export!(NeverDrain: OnModelCall);
