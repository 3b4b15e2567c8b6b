//! The lines of a recording after its header, each a JSON object with one key.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One thing that happened in one instance.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub(super) enum Line {
    /// The host calls an export, or makes the instance.
    Enter {
        /// The instance, by the order in which they were made, from 0.
        instance: u32,
        /// `on-model-call.handle`, or [`super::START`].
        export: String,
        /// Its arguments.
        arguments: Vec<Box<RawValue>>,
    },
    /// The guest calls the host.
    Call {
        instance: u32,
        /// `state.get`.
        function: String,
        /// Each with its name.
        arguments: Vec<(String, Box<RawValue>)>,
    },
    /// What it got.
    Answer { instance: u32, value: Box<RawValue> },
    /// The host ended the guest instead: a limit was reached, or a handle was none.
    Trap { instance: u32, cause: String },
    /// What the guest answered.
    Leave { instance: u32, value: Box<RawValue> },
    /// The guest ended without an answer.
    Fault { instance: u32, cause: String },
    /// The host waited no longer: the time limit was reached, or the reply was aborted.
    GivenUp { instance: u32 },
    /// The recording has no room for more.
    Full { bytes_max: u64 },
}
