//! Session files, good and bad.

use crate::rig::{Place, run_in, wait_for};

/// Where SQLite keeps the format that a program gave its file.
const USER_VERSION: usize = 60;

/// A place with a session file in use, and that file's content.
fn used() -> (Place, Vec<u8>) {
    let place = Place::new("[sessions]\npath = \"s.db\"\n");
    place.cepa("run . hello --session s").ends_with(0);
    let content = std::fs::read(place.path().join("s.db")).expect("the file is there");
    (place, content)
}

#[test]
fn a_session_goes_on_where_it_was() {
    let (place, _) = used();
    assert_eq!(place.cepa("run . next --session s").ends_with(0).out, "got next\n");
    let done = place.cepa("run . --session s --resume").fails_with(2);
    assert_eq!(done.err, "error: session `s` has no reply to resume\n");
}

#[test]
fn an_id_that_nobody_could_write_again_is_refused() {
    let place = Place::new("");
    let long = "x".repeat(129);
    for (id, error) in [
        (" ", "the session's id is empty"),
        (long.as_str(), "the session's id has 129 bytes, and 128 is the limit"),
        ("a\nb", "the session's id has a control character, such as a line end"),
    ] {
        let done = run_in(place.path(), &["run", ".", "hello", "--session", id], b"").fails_with(2);
        assert_eq!(done.err, format!("error: {error}\n"));
    }
    assert!(!place.has(".cepa"), "nothing was begun");
}

#[test]
fn a_file_that_is_in_the_way_is_not_to_be_moved() {
    let done = Place::new("[sessions]\npath = \".\"\n").cepa("run . hello").fails_with(66);
    assert!(done.err.contains("hint: see that you may write to the file"), "{done:#?}");
}

#[test]
fn a_file_that_can_not_be_used_is_one_error_and_stays_as_it_is() {
    let (place, good) = used();
    let mut newer = good.clone();
    newer[USER_VERSION..USER_VERSION + 4].copy_from_slice(&7_u32.to_be_bytes());
    let mut overwritten = good.clone();
    overwritten[4096..].fill(0x55);
    let cases = [
        ("of a newer version", newer, "has format 7, and this Cepa reads up to 1"),
        ("a text", b"this is no database, and that is the point of it".to_vec(), "it is no SQLite file"),
        ("cut", good[..good.len() / 2].to_vec(), "is damaged or not a session file"),
        ("overwritten", overwritten, "is damaged or not a session file"),
    ];
    for (what, content, said) in cases {
        place.write("s.db", &content);
        let done = place.cepa("run . hello --session s").fails_with(66);
        assert!(
            done.err.contains(said) && done.err.contains("hint: move the file away"),
            "{what}: {done:#?}"
        );
        assert!(done.err.lines().count() <= 3, "{what}: {done:#?}");
        let kept = std::fs::read(place.path().join("s.db")).expect("the file is there");
        assert!(kept == content, "the file {what} was changed");
        std::fs::remove_file(place.path().join("s.db")).expect("moved away");
        place.cepa("run . hello --session s").ends_with(0);
    }
}

#[test]
fn a_session_in_which_another_process_runs_a_reply_is_left_alone() {
    let slow = "[[turn]]\nwhen = { contains = \"slow\" }\ntext = \"never\"\ndelay-ms = 3600000\n";
    let place =
        Place::new("[sessions]\npath = \"s.db\"\n").script(&format!("{slow}[[turn]]\ntext = \"quick\"\n"));
    let running = place.start("--json run . slow --session s");
    wait_for(&running.out, "model-call-start");
    for args in ["run . hello --session s", "run . --session s --resume"] {
        let done = place.cepa(args).fails_with(66);
        assert!(done.err.contains("session `s` is in use by another process"), "{args}: {}", done.err);
    }
    place.cepa("run . hello --session t").ends_with(0);
    running.interrupt();
    running.end().ends_with(5);
    place.cepa("run . hello --session s").ends_with(0);
}
