//! Logs a line that is no UTF-8.

use cepa_sdk::log::{Level, write};
use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Garble;

impl Middleware for Garble {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Garble {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let bytes = std::hint::black_box(vec![b'a', 0xff, 0xfe]);
        // Nothing reads it but the host, which is to find that this is no text.
        write(Level::Info, unsafe { std::str::from_utf8_unchecked(&bytes) });
        next.run(request)
    }
}

cepa_sdk::export!(Garble: OnModelCall);
