//! Logs ten thousand lines.

use cepa_sdk::log::{Level, write};
use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Chatter;

impl Middleware for Chatter {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Chatter {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let line = "x".repeat(99);
        for _ in 0..10_000 {
            write(Level::Info, &line);
        }
        next.run(request)
    }
}

cepa_sdk::export!(Chatter: OnModelCall);
