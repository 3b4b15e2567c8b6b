//! The configuration.

use cepa_sdk::Error;
use cepa_sdk::state::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

/// What shares one rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// All sessions together.
    #[default]
    Layer,
    /// Each session by itself.
    Session,
}

impl Per {
    pub(crate) fn scope(self) -> Scope {
        match self {
            Self::Layer => Scope::Layer,
            Self::Session => Scope::Session,
        }
    }
}

/// The configuration.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// How many model calls a minute are let through in the long run.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub requests_per_minute: u32,
    /// How many may come at once after a quiet time.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub burst: u32,
    /// What shares the rate.
    pub per: Per,
    /// How long a call waits for its turn at most, in milliseconds. Beyond, it is refused with the error `rate-limited`.
    /// Waits count toward the layer's limit `wall`, which is a minute unless the manifest says otherwise: keep this
    /// below it.
    pub max_wait_ms: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { requests_per_minute: 60, burst: 1, per: Per::Layer, max_wait_ms: 10_000 }
    }
}

impl Config {
    pub(crate) fn checked(self) -> Result<Self, Error> {
        for (name, value) in [("requests-per-minute", self.requests_per_minute), ("burst", self.burst)] {
            if !(1..=1_000_000).contains(&value) {
                return Err(Error::invalid(format!("`{name}` is {value}: from 1 to 1000000 is possible")));
            }
        }
        Ok(self)
    }
}
