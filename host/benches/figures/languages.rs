//! What a language costs: the same two middlewares in each, against those in Rust.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cepa::chain::{Chain, ChainEntry, ReplyContext, Sink};
use cepa::request::ModelRequest;
use cepa::sandbox::{CompiledCache, Sandbox};
use cepa_project_build::Build;
use cepa_tests::chain::{LayerPlan, load};
use tokio::runtime::Runtime;

use super::hop::{calls, chain, endpoint, request};
use super::measure::{ratio, timed};

const CALLS: u64 = 200;
const INSTANCES: u64 = 40;

/// Every language and engine that is measured, as a folder of `tests/languages/measured`.
const ALL: [&str; 6] = ["rust", "c", "go", "js", "python", "starlingmonkey"];

/// The component of a project, which is built if it has changed. What its language needs is installed first.
fn component(language: &str, name: &str) -> Vec<u8> {
    let measured = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/languages/measured");
    let folder = measured.join(language).join(name);
    let built = Build::new(&folder).install(true).run(&mut |_| {});
    let built = built.unwrap_or_else(|error| panic!("{language} {name}: {error}"));
    let built = built.first().expect("a project is one component");
    std::fs::read(&built.path).expect("what was built is there")
}

/// Warm calls of one layer: this language against Rust.
fn warm(runtime: &Runtime, language: &str, name: &str) -> f64 {
    let request = request(20, 400);
    let theirs = chain(runtime, &component(language, name), 1);
    let rust = chain(runtime, &component("rust", name), 1);
    ratio(|| calls(runtime, &theirs, &request, CALLS), || calls(runtime, &rust, &request, CALLS))
}

/// A layer that passes a model call through.
pub(crate) fn passthrough<const LANGUAGE: usize>(runtime: &Runtime) -> f64 {
    warm(runtime, ALL[LANGUAGE], "passthrough")
}

/// A layer that reads and rewrites the last of 20 messages.
pub(crate) fn last<const LANGUAGE: usize>(runtime: &Runtime) -> f64 {
    warm(runtime, ALL[LANGUAGE], "last")
}

/// A fresh instance with its first call, against the same of Rust.
pub(crate) fn fresh<const LANGUAGE: usize>(runtime: &Runtime) -> f64 {
    let entry = |language: &str| {
        let bytes = component(language, "passthrough");
        LayerPlan::new("layer").entry(&runtime.block_on(load("bench", &bytes)))
    };
    let (theirs, rust) = (entry(ALL[LANGUAGE]), entry("rust"));
    let request = request(20, 400);
    ratio(|| firsts(runtime, &theirs, &request), || firsts(runtime, &rust, &request))
}

/// So many times: a fresh instance, one call, and its end.
fn firsts(runtime: &Runtime, entry: &ChainEntry, request: &ModelRequest) -> Duration {
    let endpoint = endpoint();
    timed(|| {
        runtime.block_on(async {
            for _ in 0..INSTANCES {
                let chain = Chain::open(std::slice::from_ref(entry), ReplyContext::builder("s", "r").build());
                let called = chain.call(request.clone(), Arc::clone(&endpoint), Sink::discard()).await;
                called.expect("the call succeeds");
            }
        });
    })
}

/// The worst of all languages: a component from the compiled cache, against its compilation.
pub(crate) fn start(runtime: &Runtime) -> f64 {
    let worst = ALL.map(|language| start_of(runtime, &component(language, "passthrough")));
    worst.into_iter().fold(0.0, f64::max)
}

fn start_of(runtime: &Runtime, bytes: &[u8]) -> f64 {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let bytes: Arc<[u8]> = bytes.into();
    let load = || {
        // A sandbox of its own, as a program has that starts.
        let cache = CompiledCache::open(folder.path()).expect("a cache");
        let sandbox = Sandbox::new(Some(cache)).expect("the sandbox can be set up");
        timed(|| {
            runtime.block_on(sandbox.load("bench", Arc::clone(&bytes))).expect("the component can be loaded");
        })
    };
    let cold = load();
    let mut warm: Vec<Duration> = (0..9).map(|_| load()).collect();
    warm.sort();
    warm[warm.len() / 2].as_secs_f64() / cold.as_secs_f64()
}
