//! Makes handles without end, and drops none.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct HoldHandles;

impl Middleware for HoldHandles {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for HoldHandles {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        while request.message_count() > 0 {
            std::mem::forget(request.clone());
        }
        next.run(request)
    }
}

cepa_sdk::export!(HoldHandles: OnModelCall);
