//! Computes without end.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Spin;

impl Middleware for Spin {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Spin {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let mut turns = 0_u64;
        while std::hint::black_box(turns) < u64::MAX {
            turns += 1;
        }
        next.run(request)
    }
}

cepa_sdk::export!(Spin: OnModelCall);
