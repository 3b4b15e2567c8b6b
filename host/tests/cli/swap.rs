//! A running chat whose layers are swapped from another terminal.

use serde_json::Value;

use crate::rig::Place;
use crate::terminal::Terminal;

/// Lets a layer tell the model its place, and the model tell it on.
fn write_manifest(place: &Place, told: &str, more: &str) {
    let manifest = std::fs::read_to_string(place.path().join("cepa.toml")).expect("a manifest");
    let head = manifest.split("[[middleware]]").next().expect("a text is before");
    let config = format!("config = {{ time = false, facts = {{ place = \"{told}\" }} }}");
    let layer =
        format!("[[middleware]]\nname = \"context\"\nsource = \"bundled:dynamic-context\"\n{config}\n");
    place.write("cepa.toml", format!("{head}{layer}{more}"));
}

/// A place whose chat tells where it is.
fn place() -> Place {
    let place = Place::new("").script("[[turn]]\ntext = \"told {{hint}}\"\nrepeat = true\n");
    write_manifest(&place, "home", "");
    place
}

#[test]
fn a_chat_takes_swaps_over_its_socket() {
    let place = place();
    place.cepa("swap .").fails_with(69);
    let mut chat = Terminal::open(&place, "run . --chat");
    chat.shows("> ");
    chat.enter("Where are we?");
    chat.shows("told place: home");
    chat.shows("> ");

    write_manifest(&place, "away", "");
    let done = place.cepa("swap .").ends_with(0);
    assert_eq!(done.out, "~ context config\ngeneration 2 is active\n");
    chat.shows("generation 2 is active");
    chat.enter("And now?");
    chat.shows("told place: away");

    let usage =
        "[[middleware]]\nname = \"usage\"\nsource = \"bundled:token-usage\"\ngrants = { state = true }\n";
    write_manifest(&place, "away", usage);
    let refused = place.cepa("swap .").fails_with(77).err;
    assert!(
        refused.contains("layer `usage` newly has `state`") && refused.contains("--allow state"),
        "{refused}"
    );
    let done = place.cepa("--json swap . --allow usage:state").ends_with(0);
    let swapped: Value = serde_json::from_str(&done.out).expect("one object");
    assert_eq!((&swapped["type"], &swapped["generation"]), (&"swapped".into(), &3.into()));

    let status = place.cepa("swap . --status").ends_with(0).out;
    assert!(status.contains("3  active"), "{status}");
    // Its configuration is not that of another component.
    place.cepa("swap --control .cepa/sessions.sock context --source bundled:timing").fails_with(65);

    // What a mistake in the manifest hides is still there.
    let sound = std::fs::read_to_string(place.path().join("cepa.toml")).expect("a manifest");
    place.write("cepa.toml", format!("{sound}[agnet]\n"));
    let hidden = place.cepa("swap . --status").fails_with(64).err;
    assert!(hidden.contains("hint: with `--control SOCKET`"), "{hidden}");
    let status = place.cepa("swap --control .cepa/sessions.sock --status").ends_with(0).out;
    assert!(status.contains("3  active"), "{status}");

    chat.ctrl('d');
    chat.shows("this was session");
    chat.ends_with(0);
    place.cepa("swap --control .cepa/sessions.sock").fails_with(69);
}

#[test]
fn a_chat_that_watches_takes_a_changed_manifest_up() {
    let place = place();
    let mut chat = Terminal::open(&place, "run . --chat --watch");
    chat.shows("> ");
    write_manifest(&place, "away", "");
    chat.shows("generation 2 is active");
    chat.enter("Where are we?");
    chat.shows("told place: away");
    chat.shows("> ");
    chat.ctrl('d');
    chat.ends_with(0);
}

#[test]
fn what_only_a_chat_can_do_needs_one() {
    let place = Place::new("");
    for option in ["--watch", "--control=c.sock"] {
        let done = place.cepa(&format!("run . hello {option}")).fails_with(2);
        assert!(done.err.contains("need a chat"), "{done:#?}");
    }
    place.cepa("swap . layer --control c.sock").fails_with(2);
}
