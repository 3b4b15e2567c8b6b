//! Sends a server more than it may, and takes as much and waits as long as it can.

use cepa_sdk::http::{HttpRequest, fetch, read_all};
use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink, info};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    /// The server.
    url: String,
    /// Bytes that it sends.
    bytes: usize,
}

struct Gorge(Config);

impl Middleware for Gorge {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl Gorge {
    fn ask(&self) -> Result<usize, Error> {
        let request = HttpRequest::create("POST", &self.0.url)?;
        request.set_body(&vec![b'x'; self.0.bytes])?;
        request.set_timeout(u32::MAX);
        Ok(read_all(&fetch(request)?, usize::MAX)?.len())
    }
}

impl OnModelCall for Gorge {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        match self.ask() {
            Ok(bytes) => info!("{bytes} bytes came"),
            Err(error) => info!("{:?} {}", error.kind, error.message),
        }
        next.run(request)
    }
}

cepa_sdk::export!(Gorge: OnModelCall);
