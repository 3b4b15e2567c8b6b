//! The guests themselves: each is a component, and each is used.

use std::path::Path;
use std::{fs, io};

use cepa_tests::{GUESTS, guest};
use wit_component::DecodedWasm;

/// Interfaces of types and of handles, which come with any hook.
const SHARED: [&str; 4] = ["types", "events", "requests", "flow"];

#[test]
fn a_guest_exports_just_its_hooks_and_imports_just_what_it_uses() {
    for component in [guest!("passthrough"), guest!("observe")] {
        assert_eq!(surface(component), "context log -> configuration on-model-call");
    }
}

#[test]
fn the_bundled_middlewares_are_components_of_the_contract_alone() {
    let surfaces: Vec<String> = cepa::bundled::names()
        .filter_map(|name| {
            cepa::bundled::bundled(name).map(|component| format!("{name}: {}", surface(component)))
        })
        .collect();
    assert_eq!(
        surfaces,
        [
            "dynamic-context: clock context log -> configuration on-reasoning",
            "model-fallback: context log -> configuration on-model-call",
            "model-retry: clock context log random -> configuration on-model-call",
            "rate-limit: clock context log state -> configuration on-model-call",
            "timing: clock context log -> configuration on-acting on-model-call on-reply",
            "todo: context log state -> configuration tool-source",
            "token-usage: context log state -> configuration on-model-call on-turn-end",
        ]
    );
    assert_eq!(cepa::bundled::bundled("no-such"), None);
}

/// The names of a component's imports and exports within the contract, sorted; others stand whole.
fn surface(component: &[u8]) -> String {
    let Ok(DecodedWasm::Component(resolve, world)) = wit_component::decode(component) else {
        panic!("not a component");
    };
    let world = &resolve.worlds[world];
    let names = |items: Vec<String>| {
        let short = |name: String| {
            let inner = name.strip_prefix("cepa:middleware/").and_then(|name| name.strip_suffix("@0.1.0"));
            inner.map_or(name.clone(), str::to_owned)
        };
        let mut names: Vec<String> = items.into_iter().map(short).collect();
        names.retain(|name| !SHARED.contains(&name.as_str()));
        names.sort();
        names.join(" ")
    };
    let imports = world.imports.keys().map(|key| resolve.name_world_key(key)).collect();
    let exports = world.exports.keys().map(|key| resolve.name_world_key(key)).collect();
    format!("{} -> {}", names(imports), names(exports))
}

#[test]
fn every_guest_is_used_by_a_test() -> io::Result<()> {
    let mut tests = String::new();
    for folder in ["tests", "benches", "src", "../host/benches", "../fuzz/src"] {
        read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut tests)?;
    }
    let unused: Vec<&str> =
        GUESTS.iter().map(|(name, _)| *name).filter(|name| !tests.contains(&format!("\"{name}\""))).collect();
    assert_eq!(unused, Vec::<&str>::new(), "no test names these guests");
    Ok(())
}

fn read_all(folder: &Path, into: &mut String) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_all(&path, into)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push_str(&fs::read_to_string(path)?);
        }
    }
    Ok(())
}
