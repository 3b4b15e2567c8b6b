//! What a layer saw, as a file that gives it the same again.
//!
//! A recording has every call into a layer's instances with its arguments and its end, and every call of the host with
//! its arguments and its answer. A guest has nothing else to go by, so with the same answers it does the same.

mod chance;
mod difference;
mod error;
mod header;
mod line;
mod read;
mod recorder;
mod replay;
mod script;

pub use difference::Difference;
pub use error::RecordingError;
pub use header::RecordedLayer;
pub use read::Recording;
pub use recorder::{Recorded, Recorder};
pub use replay::{Replayed, ReplayedEnd};

pub(super) use chance::{Source, watched_wasi};
pub(super) use recorder::{InstanceLog, OpenLog};
pub(super) use script::Script;

/// The format of recordings that this program reads and writes.
const FORMAT: u32 = 1;

/// What stands for the call that makes an instance, among the exports.
pub(super) const START: &str = "start";

/// Arguments as they cross, by their names.
pub(super) type Arguments<'a> = &'a [(&'static str, &'a dyn super::crossing::Shown)];
