//! Logs how each reply ended.

use cepa_sdk::{Error, Middleware, NoConfig, OnTurnEnd, TurnSummary, info};

struct WatchEnd;

impl Middleware for WatchEnd {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnTurnEnd for WatchEnd {
    fn on_turn_end(&self, turn: TurnSummary) {
        info!(
            "{:?}: {:?}, {:?}, {} steps, {} tool calls, {:?} tokens in, {} ms",
            turn.outcome(),
            turn.message().map(|message| message.text()),
            turn.error().map(|error| error.message),
            turn.steps(),
            turn.tool_calls(),
            turn.usage().input_tokens,
            turn.duration_ms(),
        );
    }
}

cepa_sdk::export!(WatchEnd: OnTurnEnd);
