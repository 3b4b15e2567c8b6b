//! The user's cache of compiled components.

use std::path::Path;
use std::process::Stdio;

use crate::rig::{Done, Place, program};

/// A place with three layers of two components.
fn place() -> Place {
    let layer =
        |name: &str, source: &str| format!("[[middleware]]\nname = \"{name}\"\nsource = \"{source}\"\n");
    Place::new(
        &[layer("a", "bundled:timing"), layer("b", "bundled:todo"), layer("c", "bundled:timing")].concat(),
    )
}

/// Runs `cepa check` so many times at once, with a cache of its own.
fn check(place: &Place, bytes_max: Option<&str>, at_once: usize) -> Vec<Done> {
    let mut command = program(place.path());
    command.args(["check", "."]).env("XDG_CACHE_HOME", place.path().join("cache"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(bytes_max) = bytes_max {
        command.env("CEPA_CACHE_MAX", bytes_max);
    }
    let running: Vec<_> = (0..at_once).map(|_| command.spawn().expect("the program starts")).collect();
    running.into_iter().map(|child| child.wait_with_output().expect("the program ends").into()).collect()
}

/// The endings of the files in the cache.
fn endings(place: &Path) -> Vec<String> {
    let files = place.join("cache/cepa/compiled").read_dir().expect("the cache is there");
    let name = |entry: std::fs::DirEntry| entry.file_name().into_string().expect("a plain name");
    let mut endings: Vec<String> = files
        .map(|entry| name(entry.expect("an entry")).rsplit('.').next().unwrap_or_default().to_owned())
        .collect();
    endings.sort();
    endings
}

#[test]
fn several_processes_fill_one_cache() {
    let place = place();
    for round in 1..=2 {
        for done in check(&place, None, 4) {
            assert_eq!(done.ends_with(0).err, "", "round {round}: nothing is discarded");
        }
        assert_eq!(endings(place.path()), ["cwasm", "cwasm", "key", "lock"], "round {round}");
    }
}

#[test]
fn the_cache_takes_no_more_room_than_it_may() {
    let place = place();
    for done in check(&place, Some("10KiB"), 1) {
        done.ends_with(0);
    }
    assert_eq!(endings(place.path()), ["key", "lock"]);
    for done in check(&place, Some("lots"), 1) {
        let done = done.fails_with(2);
        assert!(done.err.starts_with("error: `CEPA_CACHE_MAX`: a size needs a unit"), "{done:#?}");
    }
}
