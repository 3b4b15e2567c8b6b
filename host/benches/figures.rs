//! The figures that Cepa promises, each but one a ratio of two things measured in this run.
//!
//! `cargo bench --bench figures` measures all; `-- NAME` measures one. Each prints one line:
//! `figure NAME VALUE BOUND ok`, or `… short`. The exit code is 0 either way.

mod figures {
    pub(crate) mod bare;
    pub(crate) mod fault;
    pub(crate) mod hop;
    pub(crate) mod instance;
    pub(crate) mod languages;
    pub(crate) mod limits;
    pub(crate) mod measure;
    pub(crate) mod start;
    pub(crate) mod stream;
    pub(crate) mod swap;
    pub(crate) mod waiting;
}

use figures::measure::{Figure, report};
use figures::{fault, hop, instance, languages, limits, start, stream, swap, waiting};

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime can be started");
    let figures: [Figure; 27] = [
        // First, while there is no memory that others took and gave back.
        ("waiting-layer", 64.0, waiting::layer),
        ("pass-through-hop", 0.35, hop::hop),
        ("pass-through-size", 1.3, hop::size),
        ("absent-hook", 1.05, hop::absent),
        ("stream-run", 1.3, stream::run),
        ("stream-burst", 20.0, stream::burst),
        ("fresh-instance", 3.0, instance::fresh),
        ("next-runs-on-one-store", 1.0, instance::stores_per_reply),
        ("warm-start", 0.1, start::warm),
        ("swap-under-load", 1.5, swap::under_load),
        ("limits-on-calls", 1.25, limits::calls),
        ("limits-on-computing", 1.25, limits::compute),
        ("trapped-layer", 10.0, fault::trapped),
        ("c-passthrough", 1.5, languages::passthrough::<1>),
        ("go-passthrough", 6.0, languages::passthrough::<2>),
        ("js-passthrough", 6.0, languages::passthrough::<3>),
        ("python-passthrough", 6.0, languages::passthrough::<4>),
        ("starlingmonkey-passthrough", 30.0, languages::passthrough::<5>),
        ("go-last-message", 15.0, languages::last::<2>),
        ("js-last-message", 15.0, languages::last::<3>),
        ("python-last-message", 15.0, languages::last::<4>),
        ("c-fresh", 1.5, languages::fresh::<1>),
        ("js-fresh", 8.0, languages::fresh::<3>),
        ("go-fresh", 12.0, languages::fresh::<2>),
        ("starlingmonkey-fresh", 16.0, languages::fresh::<5>),
        ("python-fresh", 35.0, languages::fresh::<4>),
        ("language-warm-start", 0.005, languages::start),
    ];
    for figure in figures {
        if wanted.is_empty() || wanted.iter().any(|name| name == figure.0) {
            report(&runtime, figure);
        }
    }
}
