//! Keeps a thousand documents in as many collections, whatever the host answers, and logs the last answer.

use cepa_sdk::index::{self, Document, Scope};
use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, info,
};

struct LitterIndex;

impl Middleware for LitterIndex {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for LitterIndex {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let text = "word ".repeat(200);
        let mut last = Ok(());
        for n in 0..1_000 {
            last = index::put(Scope::Layer, &format!("{n}"), &[Document::new("id", &text)]);
        }
        if let Err(error) = last {
            info!("{}", error.message);
        }
        next.run(request)
    }
}

cepa_sdk::export!(LitterIndex: OnModelCall);
