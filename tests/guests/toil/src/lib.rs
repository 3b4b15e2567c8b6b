//! Works as much as the prompt says: `calls 1000` of the host, or `rounds 10` of computing.

use std::hint::black_box;

use cepa_sdk::{Error, Middleware, NoConfig, OnSystemPrompt, clock, serde_json};

struct Toil;

impl Middleware for Toil {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

/// What middlewares compute: texts sorted, written as JSON and read again.
fn compute(rounds: u32) {
    let words: Vec<String> = (0..1_000).map(|n| format!("word {}", n * 7_919 % 1_000)).collect();
    for _ in 0..rounds {
        let mut sorted = words.clone();
        sorted.sort();
        let text = serde_json::to_string(&sorted).unwrap_or_default();
        black_box(serde_json::from_str::<Vec<String>>(&text).unwrap_or_default());
    }
}

impl OnSystemPrompt for Toil {
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error> {
        match prompt.split_once(' ') {
            Some(("calls", count)) => (0..count.parse().unwrap_or(0)).for_each(|_: u32| {
                black_box(clock::now_ms());
            }),
            Some(("rounds", count)) => compute(count.parse().unwrap_or(0)),
            _ => return Err(Error::rejected("prompt", "it says neither `calls` nor `rounds`")),
        }
        Ok(prompt)
    }
}

cepa_sdk::export!(Toil: OnSystemPrompt);
