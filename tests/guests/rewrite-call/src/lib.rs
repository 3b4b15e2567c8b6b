//! Makes another call of each tool call.

use cepa_sdk::{Error, Middleware, OnActing, Sink, ToolNext, ToolRequest, ToolResponse};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    /// The tool to be called instead.
    name: Option<String>,
    /// The arguments instead, as JSON text.
    arguments: Option<String>,
}

struct RewriteCall(Config);

impl Middleware for RewriteCall {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnActing for RewriteCall {
    fn on_acting(&self, request: ToolRequest, next: ToolNext, _: Sink) -> Result<ToolResponse, Error> {
        if let Some(name) = &self.0.name {
            request.set_name(name);
        }
        if let Some(arguments) = &self.0.arguments {
            request.set_arguments(arguments)?;
        }
        next.run(request)
    }
}

cepa_sdk::export!(RewriteCall: OnActing);
