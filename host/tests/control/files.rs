//! Files that change while a host runs.

use std::time::Duration;

use cepa::bundled::bundled;
use cepa::control::{Answer, Reason, watch};

use super::{Bench, layer};

const PERIOD: Duration = Duration::from_millis(5);

async fn next(bench: &mut Bench) -> Answer {
    let told = tokio::time::timeout(Duration::from_secs(60), bench.told.recv()).await;
    told.unwrap().unwrap()
}

async fn refused(bench: &mut Bench) -> (Reason, String) {
    match next(bench).await {
        Answer::Refused(refusal) => (refusal.reason, refusal.message),
        other => panic!("{other:?}"),
    }
}

async fn generation(bench: &mut Bench) -> u64 {
    match next(bench).await {
        Answer::Swapped(report) => report.generation,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_changed_file_is_taken_up_and_a_broken_one_is_told_of_once() {
    let mut bench = Bench::new(&layer("x", "timing.wasm")).await;
    let _watch = watch(bench.controller.clone(), PERIOD);

    bench.manifest(&format!(
        "{}config = {{ }}\n{}",
        layer("x", "timing.wasm"),
        layer("y", "bundled:model-retry")
    ));
    assert_eq!(generation(&mut bench).await, 2);
    assert_eq!(bench.loaded.agent.layers(), ["x", "y"]);

    // The component alone: another program in the same file.
    bench.write("timing.wasm", bundled("dynamic-context").unwrap());
    assert_eq!(generation(&mut bench).await, 3);

    bench.write("timing.wasm", b"broken");
    let (reason, message) = refused(&mut bench).await;
    assert_eq!(reason, Reason::Component, "{message}");

    bench.manifest("[[middleware]]\n");
    let (reason, message) = refused(&mut bench).await;
    assert_eq!(reason, Reason::Manifest, "{message}");
    bench.manifest(&layer("x", "later.wasm"));
    let (reason, message) = refused(&mut bench).await;
    assert!(reason == Reason::Manifest && message.contains("later.wasm"), "{message}");

    // The manifest stays as it is, and the file that it misses comes.
    bench.write("later.wasm", bundled("timing").unwrap());
    assert_eq!(generation(&mut bench).await, 4);
    assert_eq!(bench.loaded.agent.layers(), ["x"]);

    // What needs consent waits for it.
    bench.manifest(&layer("x", "usage.wasm"));
    assert_eq!(refused(&mut bench).await.0, Reason::Consent);
    assert_eq!(bench.loaded.agent.generation(), 4);
    assert!(bench.told.try_recv().is_err(), "each was told once");
}

#[tokio::test]
async fn another_component_of_a_sub_agent_is_told_and_left() {
    let helper = "[agents.helper]\nsystem-prompt = \"Help.\"\n[[agents.helper.middleware]]\nname = \"y\"\nsource = \"timing.wasm\"\n";
    let mut bench = Bench::new(&format!("{}{helper}", layer("x", "bundled:model-retry"))).await;
    let _watch = watch(bench.controller.clone(), PERIOD);
    bench.write("timing.wasm", bundled("dynamic-context").unwrap());
    let Answer::Swapped(report) = next(&mut bench).await else { panic!("the swap is refused") };
    assert_eq!((report.generation, report.unapplied), (1, vec!["agents".to_owned()]));
    let [outdated] = report.outdated.as_slice() else { panic!("{:?}", report.outdated) };
    let running = bench.loaded.sub_layers()[0].component.digest();
    assert_eq!((outdated.layer.as_str(), outdated.version_before.as_str()), ("y", running));
    assert!(outdated.version_after.as_deref().is_some_and(|after| after != running), "{outdated:?}");
}
