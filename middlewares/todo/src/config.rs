//! The configuration.

use schemars::JsonSchema;
use serde::Deserialize;

/// The configuration.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// The longest list.
    #[schemars(range(min = 1, max = 1000))]
    pub max_todos: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { max_todos: 50 }
    }
}
