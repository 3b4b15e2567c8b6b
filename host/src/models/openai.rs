//! Models behind the Chat Completions protocol, at its inventor's and at compatible servers.

mod request;
mod stream;
mod tool_calls;
mod tool_name;

use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::Url;

use super::answer::Answer;
use super::exchange::exchange;
use super::http::{Endpoint, ProtocolHeaders, address};
use super::server_config::ServerConfig;
use crate::chain::Sink;
use crate::error::Error;
use crate::model::Model;
use crate::request::{ModelRequest, ModelResponse};

/// How the provider is called in responses and manifests.
const PROVIDER: &str = "openai";

/// The host that wants the output limit under its newer name, which most other servers do not know.
const INVENTOR: &str = "api.openai.com";

/// A model behind the Chat Completions protocol.
///
/// A response that ended with [`Length`](crate::message::FinishReason::Length) may hold a tool call whose arguments
/// were cut: it stands there as it came, for the record, and must not be run.
#[derive(Debug)]
pub struct OpenAiModel {
    endpoint: Arc<Endpoint>,
    dialect: request::Dialect,
    context_tokens: Option<u32>,
}

impl OpenAiModel {
    /// The usual address of the inventor's service.
    pub const BASE_URL: &'static str = "https://api.openai.com/v1";

    /// Parameters that nobody can set, since they follow from the request.
    pub const RESERVED_PARAMETERS: &'static [&'static str] = request::RESERVED;

    /// Prepares a model. Connects to nothing yet.
    ///
    /// The path `/chat/completions` is appended to the base URL. The key is sent as a bearer token.
    ///
    /// # Errors
    /// `invalid-input` when the address, the key or a header can't be used.
    pub fn new(config: ServerConfig) -> Result<Self, Error> {
        let url = address(&config.base_url, "/chat/completions")?;
        let headers = ProtocolHeaders {
            provider: PROVIDER,
            key: config.api_key,
            key_header: "authorization",
            key_prefix: "Bearer ",
            fixed: &[],
        };
        let dialect = request::Dialect { model: config.model, inventor: is_inventor(&url) };
        let endpoint = Endpoint::new(&dialect.model, url, &headers, &config.http)?;
        Ok(Self { endpoint: Arc::new(endpoint), dialect, context_tokens: config.context_tokens })
    }
}

fn is_inventor(url: &Url) -> bool {
    url.host_str() == Some(INVENTOR)
}

impl Model for OpenAiModel {
    fn provider(&self) -> &str {
        PROVIDER
    }

    fn model_name(&self) -> &str {
        &self.dialect.model
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
        let body = request::body(&request, &self.dialect);
        Box::pin(async move {
            let answer = Answer::new(&call_id, &request);
            let chat = stream::Chat::new(answer, Arc::clone(&request.tools), Arc::clone(&endpoint.peer));
            exchange(&endpoint, &request, call_id, &body?, chat, &out).await
        })
    }
}
