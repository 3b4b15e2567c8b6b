//! What a warm start costs.

use std::path::Path;
use std::time::Duration;

use cepa::host::Host;
use cepa::manifest::Manifest;
use tokio::runtime::Runtime;

use super::measure::timed;

/// A cold start takes a second, so fewer rounds than elsewhere must do.
const ROUNDS: usize = 5;

/// The quickstart up to its first reply, with a folder of compiled components.
fn start(runtime: &Runtime, cache: &Path) -> Duration {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/quickstart");
    timed(|| {
        runtime.block_on(async {
            let manifest = Manifest::load(&path).expect("the quickstart's manifest is sound");
            let host = Host::new(Some(cache.to_owned())).expect("the sandbox can be set up");
            host.load(&manifest, &|_| {}).await.expect("the quickstart can be loaded");
        });
    })
}

/// The quickstart's start with everything compiled before, against its first start.
pub(crate) fn warm(runtime: &Runtime) -> f64 {
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let cold = start(runtime, folder.path());
            let warm = start(runtime, folder.path());
            warm.as_secs_f64() / cold.as_secs_f64()
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ROUNDS / 2]
}
