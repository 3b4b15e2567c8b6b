//! Keeps its way inward and outward from the first call, and uses both in the second.

use std::cell::RefCell;

use cepa_sdk::{
    Error, Event, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink,
};

struct KeepHandles {
    kept: RefCell<Option<(ModelNext, Sink)>>,
}

impl Middleware for KeepHandles {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self { kept: RefCell::new(None) })
    }
}

impl OnModelCall for KeepHandles {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let Some((old_next, old_out)) = self.kept.borrow_mut().take() else {
            let response = next.run(request);
            *self.kept.borrow_mut() = Some((next, out));
            return response;
        };
        let emitted = old_out.emit(&[Event::TextEnd("forged".to_owned())]);
        let run = old_next.run(request.clone());
        match (emitted, run) {
            (Err(_), Err(_)) => next.run(request),
            _ => Ok(ModelResponse::new(&[])),
        }
    }
}

cepa_sdk::export!(KeepHandles: OnModelCall);
