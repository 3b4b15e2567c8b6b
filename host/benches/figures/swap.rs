//! What swaps cost the replies that run meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cepa::agent::Agent;
use cepa::host::{Change, Consent, Host, Loaded};
use cepa::manifest::Manifest;
use cepa_tests::guest;
use tokio::runtime::Runtime;

/// Each round has many replies, so fewer rounds than elsewhere must do.
const ROUNDS: usize = 15;
const REPLIES: usize = 1_000;

/// The pause between two swaps: ten a second at most, far more than any operator makes.
const PAUSE: Duration = Duration::from_millis(100);

/// A custom section that says nothing. It makes a component of other bytes that does the same work.
const REVISION: &[u8] = b"\0\x09\x08revision";

const MANIFEST: &str = r#"
[agent]
name = "bench"
model = "main"
[models.main]
provider = "scripted"
script = "script.toml"
[sessions]
memory = true
[[middleware]]
name = "outer"
source = "outer.wasm"
[[middleware]]
name = "inner"
source = "inner.wasm"
"#;

/// A running agent of two layers, whose outer one can be exchanged for `other.wasm`.
fn running(runtime: &Runtime, folder: &std::path::Path) -> Arc<Loaded> {
    let write = |name: &str, content: &[u8]| std::fs::write(folder.join(name), content).expect("written");
    write("cepa.toml", MANIFEST.as_bytes());
    write("script.toml", b"[[turn]]\ntext = \"hello\"\nrepeat = true\n");
    write("outer.wasm", guest!("passthrough"));
    write("inner.wasm", guest!("passthrough"));
    write("other.wasm", &[guest!("passthrough"), REVISION].concat());
    let host = Host::new(Some(folder.join("compiled"))).expect("the sandbox can be set up");
    let manifest = Manifest::load(folder).expect("the manifest is sound");
    Arc::new(runtime.block_on(host.load(&manifest, &|_| ())).expect("the agent can be loaded"))
}

/// The time that all but one in a hundred replies stay within. Each has a session of its own, so that none is longer than
/// another.
async fn tail(agent: &Agent, round: &str) -> Duration {
    let mut times = Vec::with_capacity(REPLIES);
    for reply in 0..REPLIES {
        let session = format!("{round}-{reply}");
        let start = Instant::now();
        agent.reply(session, "Go").await.expect("the reply begins").finish().await;
        times.push(start.elapsed());
    }
    times.sort();
    times[REPLIES * 99 / 100]
}

/// Swaps the outer layer to and fro until it is told to stop.
async fn swap(loaded: Arc<Loaded>, stop: Arc<AtomicBool>) {
    let first = loaded.layers()[0].spec.clone();
    let mut other = first.clone();
    other.source = cepa::policy::LayerSource::File(loaded.manifest().folder().join("other.wasm"));
    for spec in [other, first].iter().cycle() {
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let change = Change::Layer { spec: Box::new(spec.clone()), place: None };
        loaded.swap(change, &Consent::default(), &|_| ()).await.expect("the layer can be swapped");
        tokio::time::sleep(PAUSE).await;
    }
}

/// The 99th percentile of a reply while layers are swapped, against the same without.
pub(crate) fn under_load(runtime: &Runtime) -> f64 {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let loaded = running(runtime, folder.path());
            runtime.block_on(tail(&loaded.agent, "warm"));
            let quiet = runtime.block_on(tail(&loaded.agent, "quiet"));
            let stop = Arc::new(AtomicBool::new(false));
            let swaps = runtime.spawn(swap(Arc::clone(&loaded), Arc::clone(&stop)));
            let busy = runtime.block_on(tail(&loaded.agent, "busy"));
            stop.store(true, Ordering::SeqCst);
            runtime.block_on(swaps).expect("the swaps end");
            busy.as_secs_f64() / quiet.as_secs_f64()
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ROUNDS / 2]
}
