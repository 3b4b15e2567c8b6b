//! The counts of the Messages protocol, which tells input tokens apart by how they met the cache.

use serde_json::Value;

use crate::message::Usage;
use crate::models::usage::{keep, keep_detail};

/// Counts as reported so far.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Input tokens that had to do with no cache.
    fresh: Option<u32>,
    usage: Usage,
}

impl Counts {
    /// Takes a report. Each count in it replaces the one before.
    pub(super) fn read(&mut self, report: &Value) {
        keep(&mut self.fresh, report.get("input_tokens"));
        keep(&mut self.usage.output_tokens, report.get("output_tokens"));
        keep(&mut self.usage.cache_read_tokens, report.get("cache_read_input_tokens"));
        keep(&mut self.usage.cache_write_tokens, report.get("cache_creation_input_tokens"));
        keep(&mut self.usage.reasoning_tokens, report.pointer("/output_tokens_details/thinking_tokens"));
        for (name, count) in report.get("server_tool_use").and_then(Value::as_object).into_iter().flatten() {
            keep_detail(&mut self.usage.details, &format!("server_tool_use.{name}"), count);
        }
    }

    /// The counts as Cepa has them: the input is all of it.
    pub(super) fn usage(&self) -> Option<Usage> {
        let mut usage = self.usage.clone();
        let cached = [usage.cache_read_tokens, usage.cache_write_tokens];
        usage.input_tokens =
            self.fresh.map(|fresh| cached.into_iter().flatten().fold(fresh, u32::saturating_add));
        (usage != Usage::default()).then_some(usage)
    }
}
