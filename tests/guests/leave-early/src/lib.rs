//! Starts what is inside, reads one batch of its events, and answers without the rest.

use cepa_sdk::{
    ContentBlock, Error, EventKinds, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig,
    OnModelCall, Sink,
};

struct LeaveEarly;

impl Middleware for LeaveEarly {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for LeaveEarly {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let run = next.start(request);
        let batch = run.next(EventKinds::all());
        let text = format!("left after {} events", batch.len().min(1));
        Ok(ModelResponse::new(&[ContentBlock::Text(text)]))
    }
}

cepa_sdk::export!(LeaveEarly: OnModelCall);
