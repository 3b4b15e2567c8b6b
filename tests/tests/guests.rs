//! The guests themselves: each is a component, and each is used.

use std::path::Path;
use std::{fs, io};

use cepa_tests::{GUESTS, guest};
use wit_component::DecodedWasm;

#[test]
fn a_guest_exports_just_its_hooks_and_imports_just_what_it_uses() {
    let shared = ["types", "events", "requests", "flow"];
    for component in [guest!("passthrough"), guest!("observe")] {
        let (imports, exports) = surface(component);
        assert_eq!(exports, ["configuration", "on-model-call"]);
        let used: Vec<&String> = imports.iter().filter(|name| !shared.contains(&name.as_str())).collect();
        assert_eq!(used, ["context", "log"]);
    }
}

/// The names of a component's imports and exports within the contract; others stand whole. Exports are sorted.
fn surface(component: &[u8]) -> (Vec<String>, Vec<String>) {
    let Ok(DecodedWasm::Component(resolve, world)) = wit_component::decode(component) else {
        panic!("not a component");
    };
    let world = &resolve.worlds[world];
    let names = |items: Vec<String>| {
        let mut names: Vec<String> = items
            .into_iter()
            .map(|name| {
                match name.strip_prefix("cepa:middleware/").and_then(|name| name.strip_suffix("@0.1.0")) {
                    Some(short) => short.to_owned(),
                    None => name,
                }
            })
            .collect();
        names.sort();
        names
    };
    let imports = world.imports.keys().map(|key| resolve.name_world_key(key)).collect();
    let exports = world.exports.keys().map(|key| resolve.name_world_key(key)).collect();
    (names(imports), names(exports))
}

#[test]
fn every_guest_is_used_by_a_test() -> io::Result<()> {
    let mut tests = String::new();
    for folder in ["tests", "benches", "src", "../host/benches"] {
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
