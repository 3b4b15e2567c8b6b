//! Runs what is inside, and panics.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct PanicAfterNext;

impl Middleware for PanicAfterNext {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for PanicAfterNext {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let response = next.run(request)?;
        assert!(response.text().is_empty(), "too late");
        Ok(response)
    }
}

cepa_sdk::export!(PanicAfterNext: OnModelCall);
