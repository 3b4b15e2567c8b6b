//! Begins a thousand spans with attributes of so many bytes, and counts as often, whatever the host answers, and logs the
//! last answer.

use cepa_sdk::telemetry::{Span, count};
use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink, info};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// Bytes of the attribute of each.
    bytes: usize,
}

struct LitterTelemetry(Config);

impl Middleware for LitterTelemetry {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnModelCall for LitterTelemetry {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let attributes = format!("{{\"text\":\"{}\"}}", "v".repeat(self.0.bytes));
        let mut spans = Vec::new();
        let mut last = Ok(());
        for _ in 0..1_000 {
            match Span::start("s", &attributes) {
                Ok(span) => spans.push(span),
                Err(error) => last = Err(error),
            }
            last = last.and(count("c", 1.0, &attributes));
        }
        if let Err(error) = last {
            info!("{}", error.message);
        }
        next.run(request)
    }
}

cepa_sdk::export!(LitterTelemetry: OnModelCall);
