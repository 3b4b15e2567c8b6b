//! Writes a thousand files, whatever the host answers, and logs the last answer.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink, info, workspace,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// Bytes of each file.
    bytes: usize,
}

struct LitterFiles(Config);

impl Middleware for LitterFiles {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnModelCall for LitterFiles {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let content = vec![0; self.0.bytes];
        let mut last = Ok(());
        for n in 0..1_000 {
            last = workspace::write(&format!("work/{n}"), &content);
        }
        if let Err(error) = last {
            info!("{}", error.message);
        }
        next.run(request)
    }
}

cepa_sdk::export!(LitterFiles: OnModelCall);
