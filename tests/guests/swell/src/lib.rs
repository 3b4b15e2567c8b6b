//! Goes on in one thread with the longest prompts, whatever the host answers, and logs how many were answered and which
//! limit was the first.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, agents, info,
};

/// The longest prompt, in bytes.
const PROMPT: usize = 4 << 20;

struct Swell;

impl Middleware for Swell {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Swell {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let prompt = "x".repeat(PROMPT);
        let (mut thread, mut answered, mut refused) = (None::<String>, 0, None);
        for _ in 0..6 {
            match agents::run("helper", thread.as_deref(), &prompt) {
                Ok(run) => {
                    answered += 1;
                    thread = Some(run.thread());
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        info!("{answered} answered; {}", refused.map(|error| error.code).unwrap_or_default());
        next.run(request)
    }
}

cepa_sdk::export!(Swell: OnModelCall);
