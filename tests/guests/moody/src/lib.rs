//! Does what the user asks of it by its layer's name, such as `first:trap`, and else nothing.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Role, Sink, clock,
    context,
};

struct Moody;

impl Middleware for Moody {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

/// What the last message of the user asks of this layer; empty if nothing.
fn mood(request: &ModelRequest) -> Result<String, Error> {
    let own = format!("{}:", context::layer_name());
    for index in (0..request.message_count()).rev() {
        let message = request.message(index)?;
        if message.role == Role::User {
            let text = message.text();
            let asked = text.split_whitespace().find_map(|word| word.strip_prefix(&own));
            return Ok(asked.unwrap_or_default().to_owned());
        }
    }
    Ok(String::new())
}

fn spin() {
    let mut turns = 0_u64;
    while std::hint::black_box(turns) < u64::MAX {
        turns += 1;
    }
}

fn hoard() {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    while hoard.len() < 4_096 {
        hoard.push(vec![1; 1 << 20]);
    }
}

impl OnModelCall for Moody {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        match mood(&request)?.as_str() {
            "trap" => std::process::abort(),
            "panic" => panic!("in no mood"),
            "spin" => spin(),
            "nap" => clock::sleep(3_600_000),
            "hoard" => hoard(),
            "refuse" => return Err(Error::rejected("mood", "not today")),
            "late" => {
                next.run(request)?;
                panic!("in no mood any more");
            }
            _ => {}
        }
        next.run(request)
    }
}

cepa_sdk::export!(Moody: OnModelCall);
