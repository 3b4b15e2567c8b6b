//! A reader that has seen enough.

use std::process::Command;

use crate::rig::{Place, program};

/// A model that says more than a pipe holds, in small pieces, and a layer that has something to say as well.
fn talkative() -> Place {
    let line = "0123456789\\n".repeat(20_000);
    Place::new("[[middleware]]\nname = \"t\"\nsource = \"bundled:timing\"\n")
        .script(&format!("[[turn]]\ntext = \"{line}\"\nchunks = 11\nrepeat = true\n"))
}

/// Runs a command line in which `$CEPA` is the program. Gives what it printed, and what went to standard error.
pub(crate) fn bash(place: &Place, line: &str) -> (String, String) {
    let own = program(place.path());
    let mut command = Command::new("bash");
    command.args(["-c", line]).current_dir(place.path()).env("CEPA", own.get_program());
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().expect("bash runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn the_answer_may_be_cut_off() {
    let place = talkative();
    let line = "\"$CEPA\" -q run . hello --session s | head -n 1; echo \"${PIPESTATUS[0]}\"";
    assert_eq!(bash(&place, line), ("0123456789\n0\n".to_owned(), String::new()));
    place.cepa("run . next --session s").ends_with(0);
}

#[test]
fn events_may_be_cut_off_and_the_reply_ends_in_good_order() {
    let place = talkative();
    let line = "\"$CEPA\" --json run . hello --session s | head -n 1; echo \"${PIPESTATUS[0]}\"";
    let (out, err) = bash(&place, line);
    assert!(out.starts_with("{\"type\":\"reply-start\"") && out.ends_with("}\n0\n"), "{out}");
    assert_eq!((out.lines().count(), err.as_str()), (2, ""));
    let error = place.cepa("run . --session s --resume").fails_with(2).err;
    assert_eq!(error, "error: session `s` has no reply to resume\n", "the reply was ended, not left running");
    place.cepa("run . next --session s").ends_with(0);
}

#[test]
fn what_happens_may_be_cut_off() {
    let place = talkative();
    let line = "\"$CEPA\" run . hello --session s 2>&1 >/dev/null | true; echo \"${PIPESTATUS[0]}\"";
    assert_eq!(bash(&place, line), ("0\n".to_owned(), String::new()));
    place.cepa("run . next --session s").ends_with(0);
}
