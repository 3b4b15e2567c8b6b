//! Puts `!` behind the text of the last message, and calls the model.

use cepa_sdk::{
    ContentBlock, Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink,
};

struct Last;

impl Middleware for Last {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl OnModelCall for Last {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let last = request.message_count() - 1;
        let mut message = request.message(last)?;
        if let Some(ContentBlock::Text(text)) = message.content.last_mut() {
            text.push('!');
        }
        request.replace_message(last, &message)?;
        next.run(request)
    }
}

cepa_sdk::export!(Last: OnModelCall);
