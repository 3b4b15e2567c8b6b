//! What the operator allows a layer, and within which bounds.

use std::time::Duration;

use serde_json::Value;

use crate::chain::OnFault;

/// A layer of the manifest, resolved.
#[derive(Clone, Debug)]
pub struct LayerSpec {
    /// Unique in the chain; the key of its state.
    pub name: String,
    /// Where the component comes from.
    pub source: LayerSource,
    /// Its configuration, an object.
    pub config: Value,
    /// What it may use.
    pub grants: Grants,
    /// Within which bounds.
    pub limits: Limits,
    /// What happens when it breaks a rule.
    pub on_fault: OnFault,
}

/// Where a component comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LayerSource {
    /// One that is built into this program, by name.
    Bundled(String),
    /// A component file.
    File(std::path::PathBuf),
    /// A project folder that is built into a component.
    Project(std::path::PathBuf),
}

/// The capabilities a layer may use. `log`, `context`, `clock` and `random` are always there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Whether it may keep state.
    pub state: bool,
    /// The model aliases it may ask; `*` stands for all.
    pub models: Vec<String>,
    /// The tools it may offer and call; `*` stands for all.
    pub tools: Vec<String>,
    /// Whether it may see or change the conversation.
    pub conversation: Access,
}

/// How far a grant goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Not at all.
    #[default]
    None,
    /// Reading only.
    Read,
    /// Reading and changing.
    Write,
}

/// The bounds of a layer. Each is enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all its memories together. Default 64 MiB: room for a language runtime, too little to starve a host.
    pub memory: u64,
    /// Computing time of one hook call. Default 1 s: no middleware thinks that long, and a spinning one is stopped.
    pub cpu: Duration,
    /// Time of one hook call, what is inside excluded, waits included. Default 60 s: room for a retry's waits.
    pub wall: Duration,
    /// Runs of `next` in one hook call. Default 16: room for retries and fallbacks, no endless loop.
    pub next_runs: u32,
    /// Bytes of log lines in one reply. Default 64 KiB: a log that fills no disk.
    pub log: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            cpu: Duration::from_secs(1),
            wall: Duration::from_secs(60),
            next_runs: 16,
            log: 64 << 10,
        }
    }
}
