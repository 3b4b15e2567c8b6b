//! Sends a list of ten thousand texts that are all the same megabyte, so that one megabyte here is ten gigabytes there.

use std::mem::ManuallyDrop;

use cepa_sdk::{
    Error, Event, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, TextDelta,
};

struct Amplify;

impl Middleware for Amplify {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Amplify {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let text = ManuallyDrop::new("x".repeat(1 << 20));
        let same = || {
            // All of them point to one text, and none is ever dropped.
            let text = unsafe { String::from_raw_parts(text.as_ptr().cast_mut(), text.len(), text.len()) };
            Event::TextDelta(TextDelta { id: String::new(), text })
        };
        let events = ManuallyDrop::new((0..10_000).map(|_| same()).collect::<Vec<_>>());
        out.emit(&events)?;
        next.run(request)
    }
}

cepa_sdk::export!(Amplify: OnModelCall);
