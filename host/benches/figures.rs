//! The figures that Cepa promises, each but one a ratio of two things measured in this run.
//!
//! `cargo bench --bench figures` measures all; `-- NAME` measures one. Each prints one line:
//! `figure NAME VALUE BOUND ok`, or `… short`. The exit code is 0 either way.

mod figures {
    pub(crate) mod bare;
    pub(crate) mod fault;
    pub(crate) mod hop;
    pub(crate) mod instance;
    pub(crate) mod limits;
    pub(crate) mod measure;
    pub(crate) mod start;
    pub(crate) mod stream;
    pub(crate) mod swap;
    pub(crate) mod waiting;
}

use figures::measure::{Figure, report};
use figures::{fault, hop, instance, limits, start, stream, swap, waiting};

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime can be started");
    let figures: [Figure; 13] = [
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
    ];
    for figure in figures {
        if wanted.is_empty() || wanted.iter().any(|name| name == figure.0) {
            report(&runtime, figure);
        }
    }
}
