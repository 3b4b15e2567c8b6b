//! Sends on the first events of what is inside, and breaks.

use cepa_sdk::{
    Error, EventKinds, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink,
};

struct BreakOff;

impl Middleware for BreakOff {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for BreakOff {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let run = next.start(request);
        for _ in 0..3 {
            out.emit(&run.next(EventKinds::all()))?;
        }
        panic!("broken off on purpose");
    }
}

cepa_sdk::export!(BreakOff: OnModelCall);
