//! Reads every event of what is inside and sends each on.

use cepa_sdk::{
    Error, EventKinds, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink,
};

/// The middleware.
pub struct Observe;

impl Middleware for Observe {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Observe {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let run = next.start(request);
        loop {
            let events = run.next(EventKinds::all());
            if events.is_empty() {
                return run.finish();
            }
            out.emit(&events)?;
        }
    }
}

cepa_sdk::export!(Observe: OnModelCall);
