//! The host's own log.

use std::process::Stdio;

use crate::rig::{Done, Place, program};

/// A run whose cache can't be used, of which the log warns.
fn run(args: &[&str], level: Option<&str>) -> Done {
    let place = Place::new("[[middleware]]\nname = \"t\"\nsource = \"bundled:timing\"\n");
    let mut command = program(place.path());
    command.args(args).env("XDG_CACHE_HOME", "/dev/null").stdin(Stdio::null());
    if let Some(level) = level {
        command.env("CEPA_LOG", level);
    }
    Done::from(command.output().expect("the program ends")).ends_with(0)
}

#[test]
fn it_has_no_colours_where_there_is_no_terminal() {
    let done = run(&["run", ".", "hello"], Some("debug")).steers_no_terminal();
    assert!(done.err.contains("WARN") && done.err.contains("components are compiled anew"), "{done:#?}");
}

#[test]
fn warnings_are_left_out_when_nothing_but_the_answer_is_wanted() {
    assert!(run(&["run", ".", "hello"], None).err.contains("components are compiled anew"));
    let done = run(&["-q", "run", ".", "hello"], None);
    assert_eq!((done.out.as_str(), done.err.as_str()), ("got hello\n", ""));
}
