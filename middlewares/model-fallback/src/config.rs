//! The configuration.

use cepa_sdk::{Error, ErrorKind};
use schemars::JsonSchema;
use serde::Deserialize;

/// The configuration.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// The aliases to ask, in order, once the request's own model has failed.
    #[schemars(length(min = 1))]
    pub models: Vec<String>,
    /// The kinds of error to fall back on.
    pub on: Vec<ErrorKind>,
    /// Parameters of a provider's own that the fallback models know too. All others of that sort are taken off.
    pub keep_parameters: Vec<String>,
    /// Parameters to take off besides, though every provider has them.
    pub drop_parameters: Vec<String>,
    /// Whether earlier thinking is taken out of the conversation: its signature is worth nothing to another provider.
    pub drop_thinking: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            models: Vec::new(),
            on: vec![
                ErrorKind::Timeout,
                ErrorKind::RateLimited,
                ErrorKind::Overloaded,
                ErrorKind::Authentication,
                ErrorKind::ContextOverflow,
                ErrorKind::Connection,
                ErrorKind::Upstream,
                ErrorKind::Unsupported,
                ErrorKind::NotFound,
            ],
            keep_parameters: Vec::new(),
            drop_parameters: Vec::new(),
            drop_thinking: true,
        }
    }
}

impl Config {
    pub(crate) fn checked(self) -> Result<Self, Error> {
        if self.models.is_empty() {
            return Err(Error::invalid("`models` is empty: name at least one alias of the manifest"));
        }
        Ok(self)
    }
}
