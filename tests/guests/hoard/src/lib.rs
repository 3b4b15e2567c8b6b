//! Takes memory without end.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Hoard;

impl Middleware for Hoard {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Hoard {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let mut hoard: Vec<Vec<u8>> = Vec::new();
        while hoard.len() < 4_096 {
            hoard.push(vec![1; 1 << 20]);
        }
        next.run(request)
    }
}

cepa_sdk::export!(Hoard: OnModelCall);
