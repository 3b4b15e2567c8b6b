//! Calls itself without end.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Recurse;

impl Middleware for Recurse {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

#[inline(never)]
fn down(depth: u64) -> u64 {
    if std::hint::black_box(depth) == u64::MAX {
        return 0;
    }
    // Something is left to do after the call, so that it is no loop.
    down(depth + 1).wrapping_mul(3) | 1
}

impl OnModelCall for Recurse {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        if down(0) == 0 {
            return Err(Error::rejected("recurse", "there is an end after all"));
        }
        next.run(request)
    }
}

cepa_sdk::export!(Recurse: OnModelCall);
