//! Sleeps for an hour.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Nap;

impl Middleware for Nap {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Nap {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        cepa_sdk::clock::sleep(3_600_000);
        next.run(request)
    }
}

cepa_sdk::export!(Nap: OnModelCall);
