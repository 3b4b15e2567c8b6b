//! The configuration.

use schemars::JsonSchema;
use serde::Deserialize;

/// The configuration.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// Providers whose counts are not to be believed: their calls count as unavailable and get no bucket.
    pub exclude_providers: Vec<String>,
    /// Whether each update is also sent as an event `token-usage`.
    pub events: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { exclude_providers: Vec::new(), events: true }
    }
}
