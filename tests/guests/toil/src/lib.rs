//! Works as much as the prompt says: `call 1000` of the host, or so many rounds of one kind of computing.

use std::hint::black_box;

use cepa_sdk::{Error, Middleware, NoConfig, OnSystemPrompt, clock, serde_json};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const TEXT: &str = "The fox came at dawn, and said: \"nothing of this is new\".\nThe hen, who had slept, woke up and \
                    began to count what it could cost her. ";

struct Toil;

impl Middleware for Toil {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

fn call(times: u32) {
    for _ in 0..times {
        black_box(clock::now_ms());
    }
}

/// A conversation of twenty messages written as JSON and read again.
fn json(rounds: u32) {
    let messages = (0..20).map(|n| json!({ "id": n, "role": "user", "parts": [{ "text": TEXT.repeat(4) }] }));
    let conversation = Value::Array(messages.collect());
    for _ in 0..rounds {
        let text = conversation.to_string();
        black_box(serde_json::from_str::<Value>(&text).unwrap_or_default());
    }
}

/// SHA-256 of a long text.
fn hash(rounds: u32) {
    let text = TEXT.repeat(80);
    for _ in 0..rounds {
        black_box(Sha256::digest(black_box(&text)));
    }
}

/// A long text that is searched, split into words and written in lower case.
fn search(rounds: u32) {
    let text = TEXT.repeat(80);
    for _ in 0..rounds {
        black_box(text.contains("a cock"));
        black_box(text.split_whitespace().count());
        black_box(text.to_lowercase());
    }
}

/// Short texts that begin alike, which are compared and moved.
fn sort(rounds: u32) {
    let words: Vec<String> = (0..200).map(|n| format!("word {}", n * 7_919 % 200)).collect();
    for _ in 0..rounds {
        let mut words = words.clone();
        words.sort();
        black_box(words);
    }
}

impl OnSystemPrompt for Toil {
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error> {
        let unknown = || Error::rejected("prompt", "it says no kind of work and how much of it");
        let (kind, amount) = prompt.split_once(' ').ok_or_else(unknown)?;
        let amount = amount.parse().map_err(|_| unknown())?;
        match kind {
            "call" => call(amount),
            "json" => json(amount),
            "hash" => hash(amount),
            "search" => search(amount),
            "sort" => sort(amount),
            _ => return Err(unknown()),
        }
        Ok(prompt)
    }
}

cepa_sdk::export!(Toil: OnSystemPrompt);
