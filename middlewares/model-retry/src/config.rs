//! The configuration.

use cepa_sdk::{Error, ErrorKind};
use schemars::JsonSchema;
use serde::Deserialize;

/// What follows the last attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// The error goes outward, so that a fallback can act on it and the caller learns of it.
    #[default]
    Error,
    /// The model is made to say what failed, and the reply ends as if it had answered.
    Continue,
}

/// The configuration.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// How often a call is tried again.
    pub max_retries: u32,
    /// The kinds of error to try again on. Empty: each error that says it is retryable.
    pub retry_on: Vec<ErrorKind>,
    /// By how much each wait is longer than the one before; 0 for waits of one length.
    #[schemars(range(min = 0.0))]
    pub backoff_factor: f64,
    /// The first wait, in milliseconds.
    pub initial_delay_ms: u32,
    /// The longest wait, in milliseconds. A provider that asks for more is not tried again.
    pub max_delay_ms: u32,
    /// How long all waits of one call may take together, in milliseconds; a retry whose wait would go beyond is not
    /// made. Waits count toward the layer's limit `wall`, which is a minute unless the manifest says otherwise: keep
    /// this below it.
    pub max_total_wait_ms: u32,
    /// Whether each wait is made up to a quarter shorter or longer by chance.
    pub jitter: bool,
    /// What follows the last attempt.
    pub on_failure: OnFailure,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_retries: 2,
            retry_on: Vec::new(),
            backoff_factor: 2.0,
            initial_delay_ms: 1000,
            max_delay_ms: 30_000,
            max_total_wait_ms: 45_000,
            jitter: true,
            on_failure: OnFailure::Error,
        }
    }
}

impl Config {
    pub(crate) fn checked(self) -> Result<Self, Error> {
        let factor = self.backoff_factor;
        if !factor.is_finite() || factor < 0.0 {
            return Err(Error::invalid(format!("`backoff-factor` is {factor}: 0 or more is possible")));
        }
        Ok(self)
    }
}
