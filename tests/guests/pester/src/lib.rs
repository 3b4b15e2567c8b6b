//! Asks twelve thousand times for what it was not granted, then once for something else, and breaks.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink,
    state::{self, Scope},
    telemetry,
};

struct Pester;

impl Middleware for Pester {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Pester {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        for _ in 0..12_000 {
            // Each is refused, and noted.
            let _ = telemetry::count("again", 1.0, "");
        }
        let _ = state::set(Scope::Layer, "key", "mine");
        assert!(request.message_count() == 0, "nobody is to hear of this");
        next.run(request)
    }
}

cepa_sdk::export!(Pester: OnModelCall);
