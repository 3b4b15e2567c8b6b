//! Hands over the same handle twice.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Reuse;

impl Middleware for Reuse {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

#[cfg(target_family = "wasm")]
fn same(request: &ModelRequest) -> ModelRequest {
    // The types of the SDK don't allow this, and the host can't rely on them.
    unsafe { ModelRequest::from_handle(request.handle()) }
}

#[cfg(not(target_family = "wasm"))]
fn same(request: &ModelRequest) -> ModelRequest {
    request.clone()
}

impl OnModelCall for Reuse {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let again = same(&request);
        next.run(request)?;
        next.run(again)
    }
}

cepa_sdk::export!(Reuse: OnModelCall);
