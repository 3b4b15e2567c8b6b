//! Ends in a trap that explains nothing.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Trap;

impl Middleware for Trap {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

#[cfg(target_family = "wasm")]
fn give_up() {
    core::arch::wasm32::unreachable();
}

#[cfg(not(target_family = "wasm"))]
fn give_up() {
    std::process::abort();
}

impl OnModelCall for Trap {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        if request.message_count() > 0 {
            give_up();
        }
        next.run(request)
    }
}

cepa_sdk::export!(Trap: OnModelCall);
