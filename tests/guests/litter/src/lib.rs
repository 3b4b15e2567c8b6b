//! Keeps a thousand values, whatever the host answers, and logs the last answer.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, info,
    state::{self, Scope},
};

struct Litter;

impl Middleware for Litter {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Litter {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let value = "v".repeat(1_000);
        let mut last = Ok(());
        for n in 0..1_000 {
            last = state::set(Scope::Session, &format!("{n}"), &value);
        }
        if let Err(error) = last {
            info!("{}", error.message);
        }
        next.run(request)
    }
}

cepa_sdk::export!(Litter: OnModelCall);
