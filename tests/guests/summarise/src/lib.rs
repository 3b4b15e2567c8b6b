//! Compresses the conversation: all but the last message becomes a summary that another model writes.

use cepa_sdk::{
    CompressNext, CompressRequest, CompressResponse, Error, Message, Middleware, ModelRequest,
    OnCompressContext, Sink, conversation, info, models,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    /// The conversation is compressed once it has more messages than this.
    messages: u32,
    /// The model that summarises.
    model: String,
}

struct Summarise(Config);

impl Middleware for Summarise {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl Summarise {
    fn summary(&self, messages: &[Message]) -> Result<String, Error> {
        let request = ModelRequest::new(&self.0.model);
        request.set_system_prompt(Some("Summarise."));
        let said: Vec<String> = messages.iter().map(Message::text).collect();
        request.push_message(&Message::user(said.join("\n")))?;
        Ok(models::complete(request)?.text())
    }
}

impl OnCompressContext for Summarise {
    fn on_compress_context(
        &self,
        request: CompressRequest,
        next: CompressNext,
        _: Sink,
    ) -> Result<CompressResponse, Error> {
        info!(
            "step {}: {} messages, {} tokens of {:?}",
            request.step(),
            request.message_count(),
            request.estimated_tokens(),
            request.context_tokens(),
        );
        let inside = next.run(request)?;
        let count = conversation::count()?;
        if inside.compressed() || count <= self.0.messages {
            return Ok(inside);
        }
        let summary = self.summary(&conversation::read(0, count - 1)?)?;
        conversation::replace(0, count - 1, &[Message::user(format!("Earlier: {summary}"))])?;
        Ok(CompressResponse::new(true, Some(&summary)))
    }
}

cepa_sdk::export!(Summarise: OnCompressContext);
