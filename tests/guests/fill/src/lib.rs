//! Computes without end, each time for long inside one instruction that fills memory.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Fill;

impl Middleware for Fill {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Fill {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let mut block = vec![0_u8; 32 << 20];
        let mut round = 0_u8;
        while std::hint::black_box(&block).len() > 1 {
            round = round.wrapping_add(1);
            block.fill(round);
        }
        next.run(request)
    }
}

cepa_sdk::export!(Fill: OnModelCall);
