//! Adds a sentence to the system prompt.

use cepa_sdk::{Error, Middleware, NoConfig, OnSystemPrompt};

struct Prompt;

impl Middleware for Prompt {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnSystemPrompt for Prompt {
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error> {
        Ok(format!("{prompt} Say please."))
    }
}

cepa_sdk::export!(Prompt: OnSystemPrompt);
