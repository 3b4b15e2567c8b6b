//! Components that were built for an older and for a newer copy of the contract.

use std::fs;

use cepa::sandbox::LoadError;
use cepa_tests::chain::{LayerPlan, sandbox};
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve};

/// A component of a world, made against a copy of the contract in which each text stands in the place of another.
/// It uses everything that the interfaces it imports have.
fn built(changes: &[(&str, &str)], world: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    for file in fs::read_dir("../wit").expect("the contract").flatten() {
        let mut text = fs::read_to_string(file.path()).expect("a part of the contract");
        for (old, new) in changes {
            text = text.replace(old, new);
        }
        fs::write(folder.path().join(file.file_name()), text).expect("its copy");
    }
    let mut resolve = Resolve::default();
    resolve.push_dir(folder.path()).expect("a contract");
    let text = format!("package test:versions; world guest {{ {world} }}");
    let package = resolve.push_str("guest.wit", &text).expect("a world");
    let world = resolve.select_world(&[package], Some("guest")).expect("its world");
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8, false).expect("its type");
    let mut encoder = ComponentEncoder::default();
    encoder.module(&module).expect("a module of this world").validate(true).encode().expect("a component")
}

/// Whether this host takes it, up to a layer that could run.
async fn loaded(bytes: Vec<u8>) -> Result<(), LoadError> {
    let component = sandbox().load("other.wasm", bytes).await?;
    sandbox().middleware(LayerPlan::new("layer").spec, &component).map(drop)
}

async fn refusal(bytes: Vec<u8>) -> String {
    loaded(bytes).await.expect_err("it is refused").to_string()
}

const HOOK: &str = "export cepa:middleware/on-turn-end@0.1.0;";
const CLOCK: &str = "import cepa:middleware/clock@0.1.0; export cepa:middleware/on-turn-end@0.1.0;";

#[tokio::test]
async fn one_for_a_contract_that_had_less_is_taken() {
    let whole = fs::read_to_string("../wit/capabilities.wit").expect("the contract");
    let (_, rest) = whole.split_once("/// Waits. ").expect("the clock can wait");
    let (waits, _) = rest.split_once("}\n").expect("the end of the clock");
    let older = [(&*format!("/// Waits. {waits}"), ""), ("import agents;", "")];
    loaded(built(&older, CLOCK)).await.expect("nothing that it uses is missing");
}

#[tokio::test]
async fn one_for_a_contract_that_has_more_is_taken_as_long_as_it_does_not_use_it() {
    let newer = [("interface clock {", "interface clock {\n  now-ns: func() -> u64;")];
    loaded(built(&newer, HOOK)).await.expect("it uses nothing new");
    insta::assert_snapshot!(refusal(built(&newer, CLOCK)).await, @"`other.wasm` was built for a differing edition of cepa:middleware@0.1.0, and this host offers cepa:middleware@0.1.0; first difference: component imports instance `cepa:middleware/clock@0.1.0`, but a matching implementation was not found in the linker: instance export `now-ns` has the wrong type: function implementation is missing");
}

#[tokio::test]
async fn one_for_another_version_is_told_both_and_the_first_difference() {
    for version in ["0.1.1", "0.2.0", "1.0.0", "0.0.9"] {
        let other = [
            ("cepa:middleware@0.1.0", &*format!("cepa:middleware@{version}")),
            ("@since(version = 0.1.0)", ""),
        ];
        let told = refusal(built(&other, &CLOCK.replace("0.1.0", version))).await;
        let begin = format!(
            "`other.wasm` was built for cepa:middleware@{version}, and this host offers cepa:middleware@0.1.0; first difference: "
        );
        assert!(told.starts_with(&begin), "{told}");
    }
}

#[tokio::test]
async fn one_whose_types_differ_is_told_which() {
    let other = [("now-ms: func() -> u64;", "now-ms: func() -> f64;")];
    insta::assert_snapshot!(refusal(built(&other, CLOCK)).await, @"`other.wasm` was built for a differing edition of cepa:middleware@0.1.0, and this host offers cepa:middleware@0.1.0; first difference: component imports instance `cepa:middleware/clock@0.1.0`, but a matching implementation was not found in the linker: instance export `now-ms` has the wrong type: type mismatch with results: expected `u64` found `f64`");
    let other = [("observe: func(turn: turn-summary);", "observe: func(turn: turn-summary, again: bool);")];
    insta::assert_snapshot!(refusal(built(&other, HOOK)).await, @"`other.wasm` was built for a differing edition of cepa:middleware@0.1.0, and this host offers cepa:middleware@0.1.0; first difference: failed to convert function to given type: type mismatch with parameters: expected 1-tuple, found 2-tuple");
}
