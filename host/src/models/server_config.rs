//! How to reach a model at a server.

use super::http::HttpSettings;
use crate::secret::{Secret, shown_address};

/// How to reach a model at a server, whichever protocol it speaks.
#[derive(Clone)]
pub struct ServerConfig {
    /// The model's name at its server.
    pub model: String,
    /// The address that the protocol's path is appended to, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The key; absent for servers that want none.
    pub api_key: Option<Secret>,
    /// The size of the model's context in tokens, where it is known.
    pub context_tokens: Option<u32>,
    /// Headers, times and sizes.
    pub http: HttpSettings,
}

impl std::fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerConfig")
            .field("model", &self.model)
            .field("base_url", &shown_address(&self.base_url))
            .field("api_key", &self.api_key)
            .field("context_tokens", &self.context_tokens)
            .field("http", &self.http)
            .finish()
    }
}

impl ServerConfig {
    /// A model at this address, without a key and with the usual settings.
    pub fn new(model: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            base_url: base_url.into(),
            api_key: None,
            context_tokens: None,
            http: HttpSettings::default(),
        }
    }
}
