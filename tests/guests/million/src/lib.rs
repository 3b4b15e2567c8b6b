//! Runs what is inside a million times, whatever comes, and logs the first refusal.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, info,
};

struct Million;

impl Middleware for Million {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Million {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let mut refused = false;
        for _ in 0..1_000_000 {
            if let Err(error) = next.run(request.clone())
                && !refused
            {
                refused = true;
                info!("{}", error.message);
            }
        }
        next.run(request)
    }
}

cepa_sdk::export!(Million: OnModelCall);
