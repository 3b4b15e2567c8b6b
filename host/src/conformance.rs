//! The conformance kit: whether a component keeps to what the contract promises, whatever language it is written in.
//!
//! The component stands as a layer in an agent with a scripted model, tools, a sub-agent and whatever else it imports.
//! Each [`Check`] has it take part in replies and judges what came of them. Nothing but the component is needed, no network is
//! used, and time and chance repeat, so that a finding can be seen again.

mod checks;
mod chunked;
mod diff;
mod finding;
mod game;
mod isolated;
mod kit;
mod rig;
mod sample;
mod scenes;
mod seen;
mod stream;
mod subject;
mod taps;
mod tell;
mod tools;
mod transcript;

pub use checks::Check;
pub use finding::{Finding, Judged, Verdict};
pub use kit::Kit;
pub use rig::{BESIDE, MAIN};
pub use subject::{Subject, SubjectError, Surroundings};
pub use transcript::{TRANSCRIPTS, Transcript, TranscriptError};
