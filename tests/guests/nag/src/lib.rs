//! Calls the host without end.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Nag;

impl Middleware for Nag {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Nag {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        while cepa_sdk::context::step() < u32::MAX {}
        next.run(request)
    }
}

cepa_sdk::export!(Nag: OnModelCall);
