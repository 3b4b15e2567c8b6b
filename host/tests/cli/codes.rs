//! Each documented exit code is reached.

use std::fs::File;
use std::process::Stdio;

use cepa_tests::guest;

use crate::rig::{Place, program, wait_for};
use crate::terminal::Terminal;

/// A way to an exit code.
type Way = fn() -> Option<i32>;

/// A layer that traps in each model call.
const TRAPS: &str = "[[middleware]]\nname = \"x\"\nsource = \"x.wasm\"\non-fault = \"fail\"\n";

fn success() -> Option<i32> {
    Place::new("").cepa("run . hello").code
}

/// A machine that can't take the output.
fn defect() -> Option<i32> {
    let place = Place::new("");
    let full = File::options().write(true).open("/dev/full").expect("Linux has a device that is always full");
    let output = program(place.path()).args(["check", "."]).stdin(Stdio::null()).stdout(full).output();
    let output = output.expect("the program ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("error: the output can't be written\n"), "{error}");
    output.status.code()
}

fn usage() -> Option<i32> {
    Place::new("").cepa("run . hello --resume").code
}

fn failed() -> Option<i32> {
    let place = Place::new("").script("[[turn]]\nerror = { kind = \"overloaded\" }\n");
    let done = place.cepa("run . hello").fails_with(3);
    assert!(done.err.starts_with("error: the reply failed\n"), "{done:#?}");
    done.code
}

fn parked() -> Option<i32> {
    let place = Place::new("[[tool]]\nname = \"deploy\"\ndescription = \"deploys\"\n")
        .script("[[turn]]\ntool-calls = [{ name = \"deploy\" }]\n");
    place.cepa("run . hello").code
}

fn aborted() -> Option<i32> {
    let place = Place::new("").script("[[turn]]\ndelay-ms = 3600000\n");
    let running = place.start("--json run . hello");
    wait_for(&running.out, "model-call-start");
    running.interrupt();
    let done = running.end();
    assert_eq!(done.err, "error: the reply was aborted\n");
    done.code
}

/// A component that was exchanged since it was recorded.
fn differs() -> Option<i32> {
    let place = Place::new(&TRAPS.replace("fail", "skip")).file("x.wasm", guest!("panic"));
    place.cepa("record . hello --layer x -o x.recording").ends_with(0);
    let place = place.file("x.wasm", guest!("passthrough"));
    place.cepa("replay x.recording --component x.wasm").code
}

fn recording() -> Option<i32> {
    Place::new("").cepa("replay cepa.toml").code
}

fn unfit() -> Option<i32> {
    Place::new("").file("x.wasm", guest!("panic")).cepa("test x.wasm --only loads").code
}

fn manifest() -> Option<i32> {
    Place::new("[agnet]\n").cepa("run . hello").code
}

fn component() -> Option<i32> {
    Place::new(TRAPS).file("x.wasm", "text").cepa("run . hello").code
}

fn session() -> Option<i32> {
    Place::new("[sessions]\npath = \"script.toml\"\n").cepa("run . hello").code
}

fn unreachable() -> Option<i32> {
    Place::new("").cepa("swap .").code
}

/// A layer that comes into a running chat, and may use what nobody agreed to.
fn consent() -> Option<i32> {
    let place = Place::new("");
    let mut chat = Terminal::open(&place, "run . --chat");
    chat.shows("> ");
    let manifest = std::fs::read_to_string(place.path().join("cepa.toml")).expect("a manifest");
    let usage = "[[middleware]]\nname = \"u\"\nsource = \"bundled:token-usage\"\ngrants = { state = true }\n";
    place.write("cepa.toml", format!("{manifest}{usage}"));
    let done = place.cepa("swap .");
    chat.ctrl('d');
    chat.ends_with(0);
    done.code
}

fn fault() -> Option<i32> {
    let done = Place::new(TRAPS).file("x.wasm", guest!("panic")).cepa("run . hello").fails_with(70);
    assert!(done.err.contains("layer `x` failed in `on-model-call`"), "{done:#?}");
    assert!(done.err.contains("hint: set the layer's `on-fault = \"skip\"`"), "{done:#?}");
    done.code
}

#[test]
fn each_documented_code_is_reached() {
    let ways: [(i32, Way); 15] = [
        (0, success),
        (1, defect),
        (2, usage),
        (3, failed),
        (4, parked),
        (5, aborted),
        (6, differs),
        (7, unfit),
        (64, manifest),
        (65, component),
        (66, session),
        (67, recording),
        (69, unreachable),
        (70, fault),
        (77, consent),
    ];
    let help = Place::new("").cepa("--help").ends_with(0).out;
    let (_, table) = help.split_once("Exit codes:\n").expect("the help lists the codes");
    let documented: Vec<i32> = table
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .map(|code| code.parse().expect("a code"))
        .collect();
    assert_eq!(ways.map(|(code, _)| code).as_slice(), documented);
    for (code, way) in ways {
        assert_eq!(way(), Some(code));
    }
}

#[test]
fn a_layer_that_traps_may_be_skipped() {
    let skips = TRAPS.replace("\"fail\"", "\"skip\"");
    let done = Place::new(&skips).file("x.wasm", guest!("panic")).cepa("run . hello").ends_with(0);
    assert_eq!(done.out, "got hello\n");
    assert!(done.err.contains("! layer `x` was left out in `on-model-call`"), "{done:#?}");
}

#[test]
fn a_reply_that_was_interrupted_leaves_its_session_sound() {
    let slow = "[[turn]]\nwhen = { contains = \"slow\" }\ntext = \"never\"\ndelay-ms = 3600000\n";
    let place =
        Place::new("").script(&format!("{slow}[[turn]]\ntext = \"got {{{{last-user}}}}\"\nrepeat = true\n"));
    let running = place.start("--json run . slow --session s");
    wait_for(&running.out, "model-call-start");
    running.interrupt();
    running.end().ends_with(5);
    assert!(place.cepa("run . --session s --resume").fails_with(2).err.contains("no reply to resume"));
    assert_eq!(place.cepa("run . next --session s").ends_with(0).out, "got next\n");
}

#[test]
fn a_layer_that_fails_for_what_it_was_denied_is_told_how_to_be_granted_it() {
    let layer = "[[middleware]]\nname = \"x\"\nsource = \"bundled:rate-limit\"\n";
    let done = Place::new(layer).cepa("run . hello").fails_with(3);
    assert!(done.err.contains("! layer `x` was denied `state`\n"), "{done:#?}");
    assert!(done.err.contains("grant it: `grants = { state = true }`"), "{done:#?}");
}
