//! `cepa record` and `cepa replay`.

use cepa_tests::guest;
use serde_json::Value;

use crate::rig::{Done, Place};

const LAYER: &str = "[[middleware]]\nname = \"x\"\nsource = \"x.wasm\"\non-fault = \"skip\"\n";

fn place(bytes: &[u8]) -> Place {
    Place::new(LAYER).file("x.wasm", bytes)
}

/// The last line, which is what a command came to.
fn last(done: &Done) -> Value {
    serde_json::from_str(done.out.lines().last().expect("a line")).expect("JSON")
}

#[test]
fn a_recorded_reply_is_an_ordinary_one_and_replays_the_same() {
    let place = place(guest!("observe"));
    let done = place.cepa("record . hello --layer x --output x.recording").ends_with(0);
    assert_eq!(done.out, "got hello\n");
    assert!(done.err.contains("recorded layer `x` in `x.recording`: 1 hook calls, "), "{done:#?}");
    let done = place.cepa("replay x.recording").ends_with(0);
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(lines[0].starts_with("   1  on-model-call.handle  "), "{done:#?}");
    assert_eq!(lines[1..], ["the same"]);
    assert_eq!(place.cepa("-q replay x.recording").ends_with(0).out, "the same\n");
}

#[test]
fn programs_get_objects() {
    let place = place(guest!("panic"));
    let recorded = last(&place.cepa("--json record . hello --layer x -o x.recording").ends_with(0));
    assert_eq!((&recorded["type"], &recorded["hook-calls"]), (&"recorded".into(), &1.into()));
    let done = place.cepa("--json replay x.recording").ends_with(0);
    let call: Value = serde_json::from_str(done.out.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&call["export"], &call["end"]), (&"on-model-call.handle".into(), &"fault".into()));
    assert!(call["fault"].as_str().is_some_and(|fault| fault.contains("the sky fell")), "{call}");
    assert_eq!(last(&done)["same"], true);
}

#[test]
fn another_build_is_replayed_only_when_it_is_named() {
    let place = place(guest!("panic"));
    place.cepa("record . hello --layer x -o x.recording").ends_with(0);
    let place = place.file("x.wasm", guest!("passthrough"));
    let refused = place.cepa("replay x.recording").fails_with(65);
    assert!(refused.err.contains("is not the one that was recorded: its hash is "), "{refused:#?}");
    let done = place.cepa("replay x.recording --component x.wasm").ends_with(6);
    assert!(done.out.starts_with("different: call 1 (`on-model-call.handle`)"), "{done:#?}");
    let difference = last(&place.cepa("--json replay x.recording --component x.wasm").ends_with(6));
    assert_eq!((&difference["same"], &difference["difference"]["call"]), (&false.into(), &1.into()));
    std::fs::remove_file(place.path().join("x.wasm")).expect("it is there");
    place.cepa("replay x.recording").fails_with(65);
}

#[test]
fn a_recording_is_found_from_every_folder() {
    let place = place(guest!("passthrough"));
    place.cepa("record . hello --layer x -o x.recording").ends_with(0);
    let elsewhere = Place::new("");
    let file = place.path().join("x.recording");
    assert_eq!(elsewhere.cepa(&format!("-q replay {}", file.display())).ends_with(0).out, "the same\n");
}

#[test]
fn what_can_not_be_recorded_is_one_error_and_leaves_no_file() {
    let place = place(guest!("passthrough"));
    let done = place.cepa("record . hello --layer y -o x.recording").fails_with(2);
    assert!(done.err.contains("there is no layer `y`; there are `x`"), "{done:#?}");
    place.cepa("record . --layer x -o x.recording").fails_with(2);
    place.cepa("record . hello --layer x -o none/x.recording").fails_with(2);
    let place = place.file("x.wasm", "text");
    place.cepa("record . hello --layer x -o x.recording").fails_with(65);
    assert!(!place.has("x.recording"));
}

#[test]
fn what_is_no_recording_is_one_error() {
    let place = Place::new("").file("a", "text\n").file("b", [0xff; 100]);
    for file in ["a", "b", "cepa.toml", "absent", "."] {
        place.cepa(&format!("replay {file}")).fails_with(67);
    }
}

#[test]
fn what_the_layer_says_steers_no_terminal() {
    let text = "\u{1b}[31mred\u{202e}";
    let place = Place::new(LAYER).file("x.wasm", guest!("panic"));
    place.cepa("record . hello --layer x -o x.recording").ends_with(0);
    let recording = std::fs::read_to_string(place.path().join("x.recording")).expect("a recording");
    let escaped = serde_json::to_string(text).expect("JSON").trim_matches('"').to_owned();
    let place = place.file("x.recording", recording.replace("the sky fell", &escaped));
    place.cepa("replay x.recording").ends_with(6).steers_no_terminal();
}
