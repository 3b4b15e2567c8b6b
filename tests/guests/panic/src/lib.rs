//! Panics before it runs what is inside.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Panic;

impl Middleware for Panic {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Panic {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let messages = request.message_count();
        assert!(messages > 1_000, "the sky fell on {messages} messages");
        next.run(request)
    }
}

cepa_sdk::export!(Panic: OnModelCall);
