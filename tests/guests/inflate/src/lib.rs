//! Attaches a megabyte of JSON of which each two bytes are a value, so that it is many times as large once it is parsed.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Inflate;

impl Middleware for Inflate {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Inflate {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let zeros = format!("[{}0]", "0,".repeat(1 << 19));
        request.set_metadata("zeros", Some(&zeros))?;
        next.run(request)
    }
}

cepa_sdk::export!(Inflate: OnModelCall);
