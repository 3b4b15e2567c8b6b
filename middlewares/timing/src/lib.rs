//! Logs how long each model call takes.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, clock, log,
};

struct Timing;

impl Middleware for Timing {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Timing {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let start = clock::monotonic_us();
        let response = next.run(request);
        let took = clock::monotonic_us().saturating_sub(start);
        log::write(log::Level::Info, &format!("model call took {} ms", took / 1000));
        response
    }
}

cepa_sdk::export!(Timing: OnModelCall);
