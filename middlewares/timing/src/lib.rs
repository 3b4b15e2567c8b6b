//! Says how long replies, model calls and tools take.

use cepa_sdk::{
    Error, Event, Middleware, ModelNext, ModelRequest, ModelResponse, OnActing, OnModelCall, OnReply,
    ReplyNext, ReplyRequest, ReplyResponse, Sink, ToolNext, ToolRequest, ToolResponse, clock, info,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[cfg(test)]
mod tests;

/// The configuration.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// Whether each time is written to the log.
    pub log: bool,
    /// Whether each time is also sent as an event `timing`.
    pub events: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { log: true, events: false }
    }
}

/// The middleware.
#[derive(Debug)]
pub struct Timing(Config);

impl Timing {
    /// Runs `work` and says what took how long, and how it ended.
    fn timed<T>(
        &self,
        what: &str,
        name: &str,
        out: &Sink,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let start = clock::monotonic_us();
        let result = work();
        let micros = clock::monotonic_us().saturating_sub(start);
        let ended = result.as_ref().err().map_or("ok", |error| error.kind.name());
        if self.0.log {
            info!("{what} `{name}`: {}.{:03} ms, {ended}", micros / 1000, micros % 1000);
        }
        if self.0.events {
            let event = json!({ "what": what, "name": name, "microseconds": micros, "ended": ended });
            out.emit(&[Event::other("timing", &event)])?;
        }
        result
    }
}

impl Middleware for Timing {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnReply for Timing {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, out: Sink) -> Result<ReplyResponse, Error> {
        let agent = cepa_sdk::context::agent_name();
        self.timed("reply", &agent, &out, || next.run(request))
    }
}

impl OnModelCall for Timing {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let model = request.model();
        self.timed("model-call", &model, &out, || next.run(request))
    }
}

impl OnActing for Timing {
    fn on_acting(&self, request: ToolRequest, next: ToolNext, out: Sink) -> Result<ToolResponse, Error> {
        let tool = request.name();
        self.timed("tool", &tool, &out, || next.run(request))
    }
}

cepa_sdk::export!(Timing: OnReply, OnModelCall, OnActing);
