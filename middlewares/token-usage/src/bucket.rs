//! What one model has used.

use std::collections::{BTreeMap, BTreeSet};

use cepa_sdk::Usage;
use serde::{Deserialize, Serialize};

use crate::Latest;

/// Tokens of several calls. A count is absent while no call has reported it, which is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Counts {
    /// All input tokens, cached ones included.
    pub input_tokens: Option<u64>,
    /// Output tokens.
    pub output_tokens: Option<u64>,
    /// Input tokens read from the provider's cache.
    pub cache_read_tokens: Option<u64>,
    /// Input tokens written to the provider's cache.
    pub cache_write_tokens: Option<u64>,
    /// Output tokens spent on thinking.
    pub reasoning_tokens: Option<u64>,
    /// Other counts, by the provider's names.
    pub details: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds the counts of another call or of several.
    pub(crate) fn add(&mut self, other: &Self) {
        for (total, count) in [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.cache_read_tokens, other.cache_read_tokens),
            (&mut self.cache_write_tokens, other.cache_write_tokens),
            (&mut self.reasoning_tokens, other.reasoning_tokens),
        ] {
            if let Some(count) = count {
                *total = Some(total.unwrap_or(0).saturating_add(count));
            }
        }
        for (name, count) in &other.details {
            let total = self.details.entry(name.clone()).or_default();
            *total = total.saturating_add(*count);
        }
    }
}

impl From<Usage> for Counts {
    fn from(usage: Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens.map(u64::from),
            output_tokens: usage.output_tokens.map(u64::from),
            cache_read_tokens: usage.cache_read_tokens.map(u64::from),
            cache_write_tokens: usage.cache_write_tokens.map(u64::from),
            reasoning_tokens: usage.reasoning_tokens.map(u64::from),
            details: usage.details.into_iter().map(|(name, count)| (name, count.into())).collect(),
        }
    }
}

/// What one model has used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Bucket {
    /// The provider's kind.
    pub provider: String,
    /// The names that the provider gave of the model.
    pub reported_models: BTreeSet<String>,
    /// How many calls there were.
    pub calls: u64,
    /// How many of them reported their tokens.
    pub calls_reported: u64,
    /// Their tokens.
    pub tokens: Counts,
    /// How many calls said what was read from the cache. Only these count below.
    pub cache_observed_calls: u64,
    /// How many of these read anything from it.
    pub cache_hit_calls: u64,
    /// Their input tokens.
    pub cache_observed_input_tokens: u64,
    /// Those of them that were read from the cache.
    pub cache_observed_read_tokens: u64,
    /// Read tokens by input tokens, to 4 digits; absent without an observed input token.
    pub cache_hit_ratio: Option<f64>,
    /// Calls with a hit by observed calls, to 4 digits; absent without an observed call.
    pub cache_request_hit_ratio: Option<f64>,
}

impl Bucket {
    /// Adds one call.
    pub(crate) fn add(&mut self, call: &Latest) {
        self.provider.clone_from(&call.provider);
        self.reported_models.extend(call.reported_model.clone());
        self.calls += 1;
        let Some(usage) = &call.usage else { return };
        self.calls_reported += u64::from(call.is_reported());
        self.tokens.add(usage);
        let (Some(input), Some(read)) = (usage.input_tokens, usage.cache_read_tokens) else { return };
        self.cache_observed_calls += 1;
        self.cache_hit_calls += u64::from(read > 0);
        self.cache_observed_input_tokens = self.cache_observed_input_tokens.saturating_add(input);
        self.cache_observed_read_tokens = self.cache_observed_read_tokens.saturating_add(read);
        self.cache_hit_ratio = ratio(self.cache_observed_read_tokens, self.cache_observed_input_tokens);
        self.cache_request_hit_ratio = ratio(self.cache_hit_calls, self.cache_observed_calls);
    }
}

/// To 4 digits; nothing by nothing has no ratio.
#[expect(clippy::cast_precision_loss, reason = "four digits are asked for, and f64 has fifteen")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0)
}
