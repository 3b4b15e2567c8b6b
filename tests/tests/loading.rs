//! Components that can't be loaded: each gets one clear error.

use std::sync::{Arc, Mutex};

use cepa::host::Host;
use cepa::manifest::Manifest;
use cepa::sandbox::{CompiledCache, Sandbox};
use cepa::world::RealWorld;
use cepa_tests::chain::{LayerPlan, load, sandbox};
use cepa_tests::guest;
use serde_json::json;

async fn refusal(bytes: &[u8]) -> String {
    match sandbox().load("odd.wasm", bytes.to_vec()).await {
        Ok(component) => panic!("{component:?} was loaded"),
        Err(error) => error.to_string(),
    }
}

/// The component with one text put in the place of another of the same length, wherever it stands.
fn patched(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = bytes
        .windows(from.len())
        .enumerate()
        .filter(|(_, at)| *at == from.as_bytes())
        .map(|(n, _)| n)
        .collect();
    assert!(!places.is_empty(), "`{from}` is in the component");
    for place in places {
        bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
    }
    bytes
}

#[tokio::test]
async fn what_is_no_component_is_named_for_what_it_is() {
    assert_eq!(refusal(b"").await, "`odd.wasm` is no WebAssembly component: it is empty");
    assert_eq!(
        refusal(b"<!doctype html>").await,
        "`odd.wasm` is no WebAssembly component: it does not begin with the bytes `\\0asm`"
    );
    assert_eq!(
        refusal(b"\0asm").await,
        "`odd.wasm` is no WebAssembly component: its header is cut or of an unknown kind"
    );
    assert_eq!(
        refusal(b"\0asm\x01\0\0\0").await,
        "`odd.wasm` is a core WebAssembly module, and a component is wanted; `cepa build` makes one"
    );
    assert_eq!(
        refusal(b"\0asm\x0d\0\x01\0").await,
        "`odd.wasm` exports no hook of cepa:middleware@0.1.0, so it would do nothing; it exports nothing"
    );
}

#[tokio::test]
async fn a_component_cut_anywhere_is_refused() {
    let whole = guest!("passthrough");
    for eighth in 1..8 {
        let error = refusal(&whole[..whole.len() * eighth / 8]).await;
        assert!(error.starts_with("`odd.wasm` can't be compiled: "), "{error}");
    }
}

#[tokio::test]
async fn another_version_of_the_contract_is_explained() {
    let error = refusal(&patched(guest!("passthrough"), "@0.1.0", "@0.2.0")).await;
    assert!(
        error.starts_with(
            "`odd.wasm` was built for cepa:middleware@0.2.0, and this host offers cepa:middleware@0.1.0; \
             first difference: it uses `cepa:middleware/"
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_differing_type_of_the_same_version_is_explained() {
    let error = refusal(&patched(guest!("passthrough"), "rate-limited", "rate-bounded")).await;
    assert!(error.contains("built for a differing edition of cepa:middleware@0.1.0"), "{error}");
    assert!(error.contains("rate-limited") || error.contains("rate-bounded"), "{error}");
}

#[tokio::test]
async fn an_import_that_is_not_in_the_contract_is_refused_by_name() {
    let error = refusal(&patched(guest!("program"), "middleware/log@0.1.0", "middleware/fog@0.1.0")).await;
    assert_eq!(
        error,
        "`odd.wasm` imports `cepa:middleware/fog@0.1.0`, which is not in the contract cepa:middleware@0.1.0"
    );
}

#[tokio::test]
async fn a_configuration_that_does_not_fit_is_refused_before_anything_runs() {
    let component = load("program", guest!("program")).await;
    let spec = LayerPlan::new("layer").config(json!({ "steps": [{ "jump": 1 }], "stops": [] })).spec;
    let Err(error) = sandbox().middleware(spec, &component) else { panic!("the configuration was taken") };
    let error = error.to_string();
    assert!(error.starts_with("the configuration of layer `layer` does not fit: "), "{error}");
    assert!(error.contains("stops") && error.contains("/steps/0"), "{error}");
}

#[tokio::test]
async fn a_component_compiled_before_is_not_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    for (round, compilations, hits) in [(1, 1, 0), (2, 0, 1)] {
        let sandbox = Sandbox::new(Some(CompiledCache::open(folder.path()).unwrap())).unwrap();
        sandbox.load("passthrough", guest!("passthrough").to_vec()).await.unwrap();
        let counts = sandbox.counts();
        assert_eq!((counts.compilations(), counts.cache_hits()), (compilations, hits), "round {round}");
    }
}

const THREE_LAYERS: &str = r#"
[agent]
name = "a"
model = "main"
[models.main]
provider = "scripted"
script = "script.toml"
[sessions]
memory = true
[[middleware]]
name = "outer"
source = "one.wasm"
[[middleware]]
name = "middle"
source = "two.wasm"
[[middleware]]
name = "inner"
source = "one.wasm"
"#;

#[tokio::test]
async fn components_are_loaded_once_each_beside_the_thread_that_waits_and_who_waits_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| std::fs::write(folder.path().join(name), content).unwrap();
    write("cepa.toml", THREE_LAYERS.as_bytes());
    write("script.toml", b"[[turn]]\ntext = \"hello\"\n");
    write("one.wasm", guest!("passthrough"));
    write("two.wasm", guest!("observe"));
    let manifest = Manifest::load(folder.path()).unwrap();
    let host = Host::with(Sandbox::new(None).unwrap(), Arc::new(RealWorld::default()));

    let said = Mutex::new(Vec::new());
    let progress = |text: &str| said.lock().unwrap().push(text.to_owned());
    let mut turns = 0_u32;
    tokio::select! {
        biased;
        loaded = host.load(&manifest, &progress) => drop(loaded.unwrap()),
        () = async {
            loop {
                turns += 1;
                tokio::task::yield_now().await;
            }
        } => {}
    }
    // As many as there are awaits, if compiling kept the thread busy.
    assert!(turns > 100, "the thread came to something else {turns} times");
    assert_eq!(host.sandbox().counts().compilations(), 2);
    let said = said.into_inner().unwrap();
    let first = said.first().unwrap();
    assert!(
        first.starts_with("loading components (0 of 2 ready): ") && first.ends_with("one.wasm"),
        "{said:?}"
    );
    assert!(said.last().unwrap().starts_with("loading components (1 of 2 ready): "), "{said:?}");
}
