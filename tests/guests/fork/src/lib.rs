//! Makes a request large once, and copies of it without end: each shares the text until a word in it is edited.

use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Fork;

impl Middleware for Fork {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Fork {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        request.set_system_prompt(Some(&"x".repeat(1 << 20)));
        let mut copies = Vec::new();
        while request.message_count() > 0 {
            let copy = request.clone();
            copy.set_model("other");
            copies.push(copy);
        }
        next.run(request)
    }
}

cepa_sdk::export!(Fork: OnModelCall);
