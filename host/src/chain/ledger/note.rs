//! Notes: what a layer did, for the operator.

use serde::Serialize;

use crate::event::Outcome;
use crate::telemetry::{Count, Source, Span};

/// Something a layer did, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Note {
    /// The layer's name.
    pub layer: String,
    /// What it did.
    #[serde(flatten)]
    pub kind: NoteKind,
}

/// What a layer did. Whoever shows notes to the operator handles each kind, so that none is lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum NoteKind {
    /// It wrote a log line.
    #[serde(rename = "layer-log")]
    Log {
        /// `debug`, `info`, `warn` or `error`.
        level: &'static str,
        /// The line.
        message: String,
    },
    /// It broke a rule, and the reply failed for it.
    #[serde(rename = "layer-fault")]
    Fault {
        /// The hook.
        hook: &'static str,
        /// What happened.
        cause: String,
    },
    /// It broke a rule, and the chain went on without it.
    #[serde(rename = "layer-skipped")]
    Skipped {
        /// The hook.
        hook: &'static str,
        /// What happened.
        cause: String,
    },
    /// It broke a rule too often, and is taken out: later replies begin without it.
    #[serde(rename = "layer-taken-out")]
    TakenOut {
        /// The hook.
        hook: &'static str,
        /// How often in a row.
        faults: u32,
        /// What happened the last time.
        cause: String,
    },
    /// It was taken out before this reply began. Where the chain may not go on without it, the reply fails.
    #[serde(rename = "layer-out")]
    Out {
        /// The hook it broke in.
        hook: &'static str,
        /// How often in a row.
        faults: u32,
        /// What happened the last time.
        cause: String,
    },
    /// It ran a tool itself, past the model.
    #[serde(rename = "layer-tool-call")]
    ToolCall {
        /// The tool.
        tool: String,
        /// The state of the result, or why there is none.
        outcome: String,
    },
    /// The swap that brought it was taken back: all its first calls of a hook broke a rule.
    #[serde(rename = "layer-rolled-back")]
    RolledBack {
        /// The hook.
        hook: &'static str,
        /// What happened in the last of these calls.
        cause: String,
        /// The generation of layers that is gone.
        from: u64,
        /// The generation that is back.
        to: u64,
    },
    /// It ran a sub-agent.
    #[serde(rename = "layer-agent-run")]
    AgentRun {
        /// The agent.
        agent: String,
        /// The session of its thread.
        #[serde(rename = "session-id")]
        session_id: String,
        /// How the run ended.
        outcome: Outcome,
    },
    /// It measured what took time.
    #[serde(rename = "layer-span")]
    Span {
        /// Where.
        #[serde(flatten)]
        source: Box<Source>,
        /// What it measured.
        #[serde(flatten)]
        span: Box<Span>,
    },
    /// It added to a counter.
    #[serde(rename = "layer-count")]
    Count {
        /// Where.
        #[serde(flatten)]
        source: Box<Source>,
        /// What it added.
        #[serde(flatten)]
        count: Box<Count>,
    },
    /// It asked for what it was not granted.
    #[serde(rename = "layer-denied")]
    Denied {
        /// The capability.
        capability: &'static str,
        /// What it wanted.
        object: String,
    },
}
