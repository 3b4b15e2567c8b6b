//! Words of models, servers and components that would steer a terminal if they went to it as they are.

use cepa_tests::guest;

use crate::components::patched;
use crate::mcp::refusing;
use crate::rig::{Place, run_in};
use crate::web::{Answer, Server};

#[test]
fn the_panic_of_a_guest() {
    let text = "the sky fell on ";
    let guest = patched(guest!("panic"), text, "\u{1b}[31m\u{202e}\u{9b}2J....");
    let place = Place::new("[[middleware]]\nname = \"x\"\nsource = \"x.wasm\"\n").file("x.wasm", guest);
    let done = place.cepa("run . hello").fails_with(70).steers_no_terminal();
    assert!(done.err.contains("caused by: ") && done.err.contains("\u{fffd}[31m"), "{done:#?}");
}

#[test]
fn an_import_of_a_component() {
    let guest = patched(guest!("program"), "middleware/log@0.1.0", "middleware/\u{1b}[m@0.1.0");
    let place = Place::new("[[middleware]]\nname = \"x\"\nsource = \"x.wasm\"\n").file("x.wasm", guest);
    place.cepa("check .").fails_with(65).steers_no_terminal();
    place.cepa("inspect x.wasm").fails_with(65).steers_no_terminal();
}

#[test]
fn the_error_of_an_mcp_server() {
    let place = refusing("no\\u001b[31m \\u202e\\u009b way");
    let done = place.cepa("check .").fails_with(64).steers_no_terminal();
    assert!(done.err.contains("no\u{fffd}[31m"), "{done:#?}");
}

#[test]
fn a_call_that_waits() {
    let arguments = "{\n\"a\": \"\u{9b}31m\u{202e}\"}";
    let server = Server::start(vec![Answer::call("c\u{1b}[31m\n1", "deploy", arguments)]);
    let tool = "[[tool]]\nname = \"deploy\"\ndescription = \"deploys\"\n";
    let place = server.place(tool);
    let done = place.cepa("run . go --session s").ends_with(4).steers_no_terminal();
    let line = "waiting for its result: deploy({ \"a\": \"\u{fffd}31m\u{fffd}\"}) [--result ";
    assert!(done.err.contains(line), "{done:#?}");
    place.cepa("run . go --session s").fails_with(4).steers_no_terminal();
}

#[test]
fn an_answer_to_a_call_that_is_none() {
    let place = Place::new("[[tool]]\nname = \"deploy\"\ndescription = \"deploys\"\n")
        .script("[[turn]]\ntool-calls = [{ name = \"deploy\" }]\n");
    place.cepa("run . go --session s").ends_with(4);
    let args = ["run", ".", "--session", "s", "--resume", "--approve", "c\u{1b}[31m\u{202e}"];
    run_in(place.path(), &args, b"").fails_with(2).steers_no_terminal();
}

#[test]
fn a_key_of_a_manifest() {
    let config = "config = { \"a\\u001b[31m\\u202e\" = 1 }\n";
    let layer = format!("[[middleware]]\nname = \"r\"\nsource = \"bundled:model-retry\"\n{config}");
    Place::new(&layer).cepa("check .").fails_with(65).steers_no_terminal();
    Place::new("[run]\n\"a\\u001b[31m\\u202e\" = 1\n").cepa("check .").fails_with(64).steers_no_terminal();
}
