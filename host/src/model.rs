//! Models: what answers a request innermost.

use futures::future::BoxFuture;

use crate::chain::Sink;
use crate::error::Error;
use crate::request::{ModelRequest, ModelResponse};

/// A model at a provider.
pub trait Model: Send + Sync {
    /// `openai`, `anthropic`, `scripted`, or a name of the embedder's own.
    fn provider(&self) -> &str;
    /// The model's name at its provider.
    fn model_name(&self) -> &str;
    /// The size of its context in tokens, where it is known.
    fn context_tokens(&self) -> Option<u32> {
        None
    }
    /// Answers a request.
    ///
    /// Sends the blocks and tool calls to `out` as they come, each with a start and an end, with ids that begin with
    /// `call_id`; not the start and the end of the model call itself. The response holds the same content. What is
    /// known of the tokens before the end is told by [`Sink::spent`], so that a call which fails or is aborted is
    /// counted too. Dropping the future cancels the call.
    fn call(
        &self,
        request: ModelRequest,
        call_id: String,
        out: Sink,
    ) -> BoxFuture<'static, Result<ModelResponse, Error>>;
}
