//! Counts: how often a layer was entered at a hook, what it changed, and what it spent.

use serde::Serialize;

/// What one layer spent and changed at one hook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LayerLine {
    /// How often it was entered.
    pub calls: u64,
    /// How often it ran what is inside.
    pub runs: u64,
    /// How often it passed on a changed request.
    pub changed_requests: u64,
    /// How often it answered something else than what was inside.
    pub changed_responses: u64,
    /// How often it answered an error or broke a rule.
    pub failures: u64,
    /// Time in it, what is inside included, in microseconds.
    pub micros: u64,
    /// What it spent.
    #[serde(flatten)]
    pub spent: Spent,
}

impl LayerLine {
    /// Adds what was done in another reply.
    pub(super) fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.calls, other.calls),
            (&mut self.runs, other.runs),
            (&mut self.changed_requests, other.changed_requests),
            (&mut self.changed_responses, other.changed_responses),
            (&mut self.failures, other.failures),
            (&mut self.micros, other.micros),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.spent.add(&other.spent);
    }
}

/// What a layer spent at a hook, as far as its host measures it: a native layer is not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Spent {
    /// Computing time, in microseconds. Where the machine was busy it may be up to twice too much.
    pub cpu_micros: u64,
    /// Own time, in microseconds: its waits included, and what is inside it excluded.
    pub own_micros: u64,
    /// The largest memory of its instances, in bytes.
    pub memory_peak: u64,
    /// Bytes copied into and out of it.
    pub bytes_copied: u64,
    /// Calls of the host.
    pub host_calls: u64,
    /// Events it sent, those that passed it by not included.
    pub events: u64,
    /// Bytes of these events.
    pub event_bytes: u64,
    /// Bytes of its log, those past the limit included.
    pub log_bytes: u64,
    /// Bytes of keys and values it wrote to its state.
    pub state_bytes: u64,
    /// Tokens, in and out, of the model calls it made for itself.
    pub internal_tokens: u64,
}

impl Spent {
    /// Adds another hook call.
    pub fn add(&mut self, other: &Self) {
        self.memory_peak = self.memory_peak.max(other.memory_peak);
        for (sum, more) in [
            (&mut self.cpu_micros, other.cpu_micros),
            (&mut self.own_micros, other.own_micros),
            (&mut self.bytes_copied, other.bytes_copied),
            (&mut self.host_calls, other.host_calls),
            (&mut self.events, other.events),
            (&mut self.event_bytes, other.event_bytes),
            (&mut self.log_bytes, other.log_bytes),
            (&mut self.state_bytes, other.state_bytes),
            (&mut self.internal_tokens, other.internal_tokens),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}
