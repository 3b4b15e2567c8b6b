//! Runs a sub-agent a thousand times in each of two hooks, whatever the host answers, and logs how many answered and the first refusal.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, OnSystemPrompt, Sink,
    agents, info,
};

struct DelegateEndlessly;

impl Middleware for DelegateEndlessly {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

fn delegate() {
    let mut answered = 0;
    let mut refused = None;
    for _ in 0..1_000 {
        match agents::ask("helper", "Again") {
            Ok(_) => answered += 1,
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    info!("{answered} answered; {}", refused.map(|error| error.message).unwrap_or_default());
}

impl OnSystemPrompt for DelegateEndlessly {
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error> {
        delegate();
        Ok(prompt)
    }
}

impl OnModelCall for DelegateEndlessly {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        delegate();
        next.run(request)
    }
}

cepa_sdk::export!(DelegateEndlessly: OnSystemPrompt, OnModelCall);
