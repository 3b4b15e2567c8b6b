//! Holds model calls to a rate: a call that comes too early waits its turn, or is refused when that is too long.

mod bucket;
mod config;

#[cfg(test)]
mod tests;

use cepa_sdk::{
    Error, ErrorKind, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink, clock, info,
    state,
};

use bucket::Turn;
pub use config::{Config, Per};

/// Where the bucket is kept.
const KEY: &str = "next-free-us";

/// The middleware.
#[derive(Debug)]
pub struct RateLimit(Config);

impl RateLimit {
    /// Takes a turn, and gives the wait until it.
    fn take_turn(&self) -> Result<u32, Error> {
        let now = clock::now_ms().saturating_mul(1000);
        let turn = state::update_json(self.0.per.scope(), KEY, |next_free: &mut u64| {
            let turn = bucket::take(&self.0, *next_free, now);
            if let Turn::Taken { next_free: later, .. } = turn {
                *next_free = later;
            }
            Ok(turn)
        })?;
        match turn {
            Turn::Taken { wait_ms, .. } => Ok(wait_ms),
            Turn::TooLate { wait_ms } => Err(self.refusal(wait_ms)),
        }
    }

    fn refusal(&self, wait_ms: u32) -> Error {
        let (rate, longest) = (self.0.requests_per_minute, self.0.max_wait_ms);
        let message = format!(
            "the rate of {rate} model calls a minute is used up: free in {wait_ms} ms, over the {longest} ms to wait at most"
        );
        Error::new(ErrorKind::RateLimited, message).code("rate-limit").retry_after_ms(wait_ms)
    }
}

impl Middleware for RateLimit {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        config.checked().map(Self)
    }
}

impl OnModelCall for RateLimit {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let wait = self.take_turn()?;
        if wait > 0 {
            info!("waiting {wait} ms for the rate of {} model calls a minute", self.0.requests_per_minute);
            clock::sleep(wait);
        }
        next.run(request)
    }
}

cepa_sdk::export!(RateLimit: OnModelCall);
