//! Hands a text over without end, a small part of a megabyte each time.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Haul;

impl Middleware for Haul {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Haul {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let text = "x".repeat(64 << 10);
        while request.message_count() > 0 {
            request.set_system_prompt(Some(&text));
        }
        next.run(request)
    }
}

cepa_sdk::export!(Haul: OnModelCall);
