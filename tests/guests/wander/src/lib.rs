//! Asks for whatever lies near a host: the metadata of its cloud, its own services, its files.

use cepa_sdk::http::{HttpRequest, fetch};
use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink, info};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    /// Where it goes.
    urls: Vec<String>,
}

struct Wander(Config);

impl Middleware for Wander {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnModelCall for Wander {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        for url in &self.0.urls {
            match HttpRequest::create("GET", url).and_then(fetch) {
                Ok(answer) => info!("{url}: {}", answer.status()),
                Err(error) => info!("{url}: {:?} {}", error.kind, error.message),
            }
        }
        next.run(request)
    }
}

cepa_sdk::export!(Wander: OnModelCall);
