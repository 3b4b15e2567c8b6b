//! `cepa test`: its report, its objects, and what it says when there is nothing to test.

use cepa_tests::guest;
use serde_json::Value;

use crate::rig::{Done, Place, run_in};

/// A report without what the machine decides: how much of each limit was used.
fn report(done: &Done) -> String {
    let lines = done.out.lines().map(|line| match line.split_once("note      at most ") {
        Some((before, _)) => format!("{before}note      at most [shares]"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn careless(mistake: &str, more: &[&str]) -> Done {
    let place = Place::new("").file("careless.wasm", guest!("careless"));
    let config = format!("{{\"mistake\":\"{mistake}\"}}");
    let mut args = vec!["test", "careless.wasm", "--config", &config];
    args.extend(more);
    run_in(place.path(), &args, b"")
}

#[test]
fn a_component_that_passes_has_a_line_a_check() {
    let done = Place::new("").cepa("test bundled:token-usage").ends_with(0);
    insta::assert_snapshot!(report(&done));
}

#[test]
fn one_that_fails_says_what_was_seen_and_how_to_see_it_again() {
    let done =
        careless("expects-the-host", &["--only", "loads,host-errors"]).ends_with(7).steers_no_terminal();
    insta::assert_snapshot!(report(&done));
}

#[test]
fn a_program_gets_an_object_a_check_and_one_at_the_end() {
    let done = careless("drops-pieces", &["--json", "--only", "streaming", "--only", "errors"]).ends_with(7);
    let objects: Vec<Value> =
        done.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let types: Vec<&Value> = objects.iter().map(|object| &object["type"]).collect();
    assert_eq!(types, ["check", "check", "conformance"], "{done:#?}");
    assert_eq!((&objects[0]["check"], &objects[0]["verdict"]), (&"streaming".into(), &"fail".into()));
    assert!(
        objects[0]["findings"][0]["what"]
            .as_str()
            .is_some_and(|what| what.contains(" cut behind ") || what.contains("character by character"))
    );
    assert_eq!((&objects[2]["passed"], &objects[2]["failed"]), (&1.into(), &1.into()));
}

#[test]
fn quiet_tells_only_what_fails() {
    assert_eq!(careless("none", &["--quiet", "--only", "loads"]).ends_with(0).out, "");
}

#[test]
fn what_can_not_be_tested_is_a_mistake_of_the_command_line() {
    let place = Place::new("").file("careless.wasm", guest!("careless"));
    let needs = place.cepa("test careless.wasm").fails_with(2);
    assert!(needs.err.contains("\"mistake\" is a required property"), "{needs:#?}");
    assert!(needs.err.contains("hint: give one with `--config '{...}'`"), "{needs:#?}");
    let known = place.cepa("test careless.wasm --only speed").fails_with(2);
    assert!(known.err.contains("the checks are loads, transcripts, streaming"), "{known:#?}");
    for (config, said) in [("1", "is no JSON object"), ("{", "is no JSON: ")] {
        let done = place.cepa(&format!("test careless.wasm --config {config}")).fails_with(2);
        assert!(done.err.contains(said), "{done:#?}");
    }
    assert!(place.cepa("test careless.wasm --update").fails_with(2).err.contains("no transcripts to update"));
    assert!(place.cepa("test gone.wasm").fails_with(65).err.contains("`gone.wasm` can't be read"));
}

#[test]
fn a_project_is_built_and_compared_with_its_transcripts() {
    let place = Place::new("");
    place.cepa("new polite --hook on-system-prompt").ends_with(0);
    let transcripts = place.path().join("polite/transcripts");
    std::fs::create_dir(&transcripts).expect("the project is there");
    let greeting = "prompt = \"Hello\"\n[[turn]]\ntext = \"{{system}}\"\n";
    std::fs::write(transcripts.join("greeting.toml"), greeting).expect("it can be written");
    let unwritten = place.cepa("test polite --only transcripts").ends_with(7);
    assert!(
        unwritten.out.contains("`greeting` is not written down yet: `--update` does it"),
        "{unwritten:#?}"
    );
    place.cepa("test polite --only transcripts --update").ends_with(0);
    let done = place.cepa("test polite").ends_with(0);
    assert!(done.out.contains("pass  transcripts  1 of the project, as written down"), "{done:#?}");
    let written = std::fs::read_to_string(transcripts.join("greeting.txt")).expect("it was written");
    assert!(written.contains("text      Be brief. "), "{written}");
}

#[test]
fn one_that_does_not_load_fails_its_first_check() {
    let place = Place::new("").file("empty.wasm", b"\0asm\x0d\0\x01\0");
    let done = place.cepa("test empty.wasm").ends_with(7);
    insta::assert_snapshot!(done.out);
}
