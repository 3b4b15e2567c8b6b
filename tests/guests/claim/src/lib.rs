//! Logs a line of which it claims that it is as long as the address space.

use cepa_sdk::log::{Level, write};
use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};

struct Claim;

impl Middleware for Claim {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Claim {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let short = "short";
        let claimed = std::hint::black_box(isize::MAX.unsigned_abs());
        // Nothing reads it but the host, which is to find that the guest has no memory there.
        let line =
            unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(short.as_ptr(), claimed)) };
        write(Level::Info, line);
        next.run(request)
    }
}

cepa_sdk::export!(Claim: OnModelCall);
