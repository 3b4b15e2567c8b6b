//! What a program that reads `--json` gets when no reply begins, or one fails.

use cepa_tests::guest;
use serde_json::Value;

use crate::rig::{Done, Place, run_in};

/// The objects on standard output.
fn objects(done: &Done) -> Vec<Value> {
    done.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn each_mistake_before_a_reply_is_one_object_with_the_exit_code() {
    let layer = "[[middleware]]\nname = \"x\"\nsource = \"bundled:nothing\"\n";
    let waiting = Place::new("[[tool]]\nname = \"deploy\"\ndescription = \"deploys\"\n")
        .script("[[turn]]\ntool-calls = [{ name = \"deploy\" }]\n");
    waiting.cepa("run . go --session s").ends_with(4);
    let cases = [
        (64, "unknown key `agnet`", Place::new("[agnet]\n").cepa("--json run . hello")),
        (65, "there is no bundled middleware", Place::new(layer).cepa("--json check .")),
        (65, "can't be read", Place::new("").cepa("--json inspect gone.wasm")),
        (66, "session file", Place::new("[sessions]\npath = \"script.toml\"\n").cepa("--json run . hello")),
        (2, "there is no prompt", Place::new("").cepa("--json run .")),
        (2, "unexpected argument '--wrong'", Place::new("").cepa("--json run . hello --wrong")),
        (4, "waits for answers", waiting.cepa("--json run . more --session s")),
    ];
    for (code, said, done) in cases {
        let done = done.ends_with(code);
        let objects = objects(&done);
        assert_eq!(objects.len(), 1, "{done:#?}");
        assert_eq!((&objects[0]["type"], &objects[0]["code"]), (&"error".into(), &code.into()), "{done:#?}");
        let message = objects[0]["message"].as_str().expect("a text");
        assert!(message.contains(said) && !message.starts_with("error"), "{done:#?}");
        assert!(done.err.starts_with("error: "), "a person is told as well: {done:#?}");
    }
}

#[test]
fn a_reply_that_failed_has_told_it_in_its_result() {
    let place = Place::new("").script("[[turn]]\nerror = { kind = \"overloaded\" }\n");
    let done = place.cepa("--json run . hello").ends_with(3);
    let objects = objects(&done);
    let types: Vec<&str> = objects.iter().filter_map(|object| object["type"].as_str()).collect();
    assert!(types.ends_with(&["result"]) && !types.contains(&"error"), "{types:?}");
    assert_eq!(objects.last().expect("a line")["error"]["kind"], "overloaded");
}

#[test]
fn help_is_no_mistake() {
    let done = run_in(Place::new("").path(), &["--json", "--help"], b"").ends_with(0);
    assert!(done.out.contains("Usage: ") && done.err.is_empty(), "{done:#?}");
}

#[test]
fn what_layers_measure_stands_within_the_reply() {
    let layer = "[[middleware]]\nname = \"m\"\nsource = \"m.wasm\"\ngrants = { telemetry = true }\n\
                 config = { uses = [{ start = [\"search\", \"\"] }, { count = [\"searches\", 1, \"\"] }, { drop = 0 }] }\n";
    let done = Place::new(layer).file("m.wasm", guest!("measure")).cepa("--json run . hello").ends_with(0);
    let told = objects(&done);
    let of = |kind: &str| told.iter().position(|object| object["type"] == kind).expect(kind);
    let (start, count, span, end) = (of("reply-start"), of("layer-count"), of("layer-span"), of("reply-end"));
    assert!(start < count && count < span && span < end, "{told:#?}");
    for object in [&told[count], &told[span]] {
        assert_eq!((&object["layer"], &object["hook"]), (&"m".into(), &"on-reply".into()));
        assert_eq!(object["reply-id"], told[start]["reply-id"]);
    }
}
