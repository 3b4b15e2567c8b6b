//! Keeps a mebibyte of each call, as a runtime does that never gives memory back.

use cepa_sdk::{Error, Middleware, NoConfig, OnSystemPrompt};

struct Leak;

impl Middleware for Leak {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnSystemPrompt for Leak {
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error> {
        std::hint::black_box(vec![1_u8; 1 << 20].leak());
        Ok(prompt)
    }
}

cepa_sdk::export!(Leak: OnSystemPrompt);
