//! Drops its way inward, and answers by itself.

use cepa_sdk::{
    ContentBlock, Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink,
};

struct DropNext;

impl Middleware for DropNext {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for DropNext {
    fn on_model_call(&self, _: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        drop(next);
        Ok(ModelResponse::new(&[ContentBlock::Text("My own answer.".to_owned())]))
    }
}

cepa_sdk::export!(DropNext: OnModelCall);
