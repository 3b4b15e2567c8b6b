//! What a run or a session has used, and what the latest call did.

use std::collections::BTreeMap;
use std::fmt;

use cepa_sdk::ModelResponse;
use serde::{Deserialize, Serialize};

use crate::{Bucket, Counts};

/// One model call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Latest {
    /// The alias that answered; empty when there was none.
    pub model: String,
    /// The provider's kind.
    pub provider: String,
    /// The name that the provider gave of the model.
    pub reported_model: Option<String>,
    /// Its tokens; absent when the provider reported nothing.
    pub usage: Option<Counts>,
}

impl Latest {
    /// The call behind a response.
    pub(crate) fn of(response: &ModelResponse) -> Self {
        Self {
            model: response.model(),
            provider: response.provider(),
            reported_model: response.reported_model(),
            usage: response.usage().map(Counts::from),
        }
    }

    /// Whether both totals are known; a half is no report.
    pub(crate) fn is_reported(&self) -> bool {
        self.usage.as_ref().is_some_and(|usage| usage.input_tokens.is_some() && usage.output_tokens.is_some())
    }

    /// The bucket it belongs to: the alias of the manifest, else what the provider called the model.
    fn key(&self) -> String {
        match (&*self.model, &self.reported_model) {
            ("", Some(reported)) => format!("response:{}:{reported}", self.provider),
            ("", None) => format!("unattributed:{}", self.provider),
            (alias, _) => alias.to_owned(),
        }
    }
}

/// What a run or a session has used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Tally {
    /// The version of this shape.
    pub schema: u32,
    /// How many calls there were.
    pub calls: u64,
    /// How many of them reported their tokens.
    pub calls_reported: u64,
    /// How many did not.
    pub calls_unavailable: u64,
    /// Whether every call reported its tokens, so that the totals are the truth.
    pub complete: bool,
    /// The tokens of all reporting calls.
    pub total: Counts,
    /// The same by model.
    pub models: BTreeMap<String, Bucket>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            schema: 1,
            calls: 0,
            calls_reported: 0,
            calls_unavailable: 0,
            complete: true,
            total: Counts::default(),
            models: BTreeMap::new(),
        }
    }
}

impl Tally {
    /// Adds one call. An excluded provider's counts are left out, and its calls are unavailable.
    pub(crate) fn add(&mut self, call: &Latest, excluded: bool) {
        self.calls += 1;
        if call.is_reported() && !excluded {
            self.calls_reported += 1;
        } else {
            self.calls_unavailable += 1;
            self.complete = false;
        }
        if excluded {
            return;
        }
        if let Some(usage) = &call.usage {
            self.total.add(usage);
        }
        self.models.entry(call.key()).or_default().add(call);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |count: Option<u64>| count.map_or("unknown".to_owned(), |count| count.to_string());
        let (input, output) = (known(self.total.input_tokens), known(self.total.output_tokens));
        write!(f, "{}, {input} input tokens, {output} output tokens", counted(self.calls, "model call"))?;
        if self.complete {
            return Ok(());
        }
        write!(f, ", {} without a report", counted(self.calls_unavailable, "call"))
    }
}

/// A number of things, in words.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
