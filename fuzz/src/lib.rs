//! Fuzz targets: each takes any bytes, hands them to one reader of the host, and must neither panic nor hang.
//!
//! `fuzz/run` drives them with libFuzzer; the tests run the kept corpus through them.

// What a target finds is a panic, so a target may panic itself.
mod component_bytes;
mod grant_matching;
mod guest_output;
mod manifest;
mod model_stream;
mod recording;
mod session_file;

use std::sync::LazyLock;

use tokio::runtime::Runtime;

/// A target's name, which is its folder in `fuzz/corpus`, and what it does with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 8] = [
    ("manifest", manifest::read),
    ("component-bytes", component_bytes::load),
    ("guest-output", guest_output::speak),
    ("grant-matching", grant_matching::hold),
    ("openai-stream", model_stream::openai),
    ("anthropic-stream", model_stream::anthropic),
    ("session-file", session_file::open),
    ("recording", recording::replay),
];

/// The target of this name.
pub fn target(name: &str) -> Option<fn(&[u8])> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, run)| *run)
}

/// The runtime that all runs share.
fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime can be started")
    });
    &RUNTIME
}
