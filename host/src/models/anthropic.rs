//! Models behind the Messages protocol.

mod content;
mod request;
mod stream;

use std::sync::Arc;

use futures::future::BoxFuture;

use super::answer::Answer;
use super::exchange::exchange;
use super::http::{Endpoint, ProtocolHeaders, address};
use super::server_config::ServerConfig;
use crate::chain::Sink;
use crate::error::Error;
use crate::model::Model;
use crate::request::{ModelRequest, ModelResponse};

/// How the provider is called in responses and manifests.
const PROVIDER: &str = "anthropic";

/// A model behind the Messages protocol.
///
/// A wanted form of the answer is asked for as `output_config.format`, which goes together with tools and thinking;
/// a server that does not know the field ignores it, and the caller checks the answer either way.
///
/// A response that ended with [`Length`](crate::message::FinishReason::Length) may hold a tool call whose arguments
/// were cut: it stands there as it came, for the record, and must not be run.
#[derive(Debug)]
pub struct AnthropicModel {
    endpoint: Arc<Endpoint>,
    model: String,
    context_tokens: Option<u32>,
}

impl AnthropicModel {
    /// The usual address of the inventor's service.
    pub const BASE_URL: &'static str = "https://api.anthropic.com";

    /// Parameters that nobody can set, since they follow from the request.
    pub const RESERVED_PARAMETERS: &'static [&'static str] = request::RESERVED;

    /// Prepares a model. Connects to nothing yet.
    ///
    /// The path `/v1/messages` is appended to the base URL, which may end with the `/v1` already.
    ///
    /// # Errors
    /// `invalid-input` when the address, the key or a header can't be used.
    pub fn new(config: ServerConfig) -> Result<Self, Error> {
        let base = config.base_url.trim_end_matches('/');
        let path = if base.ends_with("/v1") { "/messages" } else { "/v1/messages" };
        let headers = ProtocolHeaders {
            provider: PROVIDER,
            key: config.api_key,
            key_header: "x-api-key",
            key_prefix: "",
            fixed: &[("anthropic-version", "2023-06-01")],
        };
        let endpoint = Endpoint::new(&config.model, address(base, path)?, &headers, &config.http)?;
        Ok(Self { endpoint: Arc::new(endpoint), model: config.model, context_tokens: config.context_tokens })
    }
}

impl Model for AnthropicModel {
    fn provider(&self) -> &str {
        PROVIDER
    }

    fn model_name(&self) -> &str {
        &self.model
    }

    fn context_tokens(&self) -> Option<u32> {
        self.context_tokens
    }

    fn call(
        &self,
        request: ModelRequest,
        call_id: String,
        out: Sink,
    ) -> BoxFuture<'static, Result<ModelResponse, Error>> {
        let endpoint = Arc::clone(&self.endpoint);
        let body = request::body(&request, &self.model);
        Box::pin(async move {
            let answer = Answer::new(&call_id, &request);
            let reply = stream::Reply::new(answer, Arc::clone(&endpoint.peer));
            exchange(&endpoint, &request, call_id, &body?, reply, &out).await
        })
    }
}
