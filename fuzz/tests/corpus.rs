//! The kept corpus, through its targets: what once failed must never fail again.

use std::fs;
use std::path::Path;

/// Runs every kept input of every target.
#[test]
fn every_kept_input_passes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (name, run) in cepa_fuzz::TARGETS {
        let folder = corpus.join(name);
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "target `{name}` has no kept input");
        for path in paths {
            eprintln!("{}", path.display());
            run(&fs::read(&path).unwrap());
        }
    }
}

/// A folder of a target that is gone would be kept for nothing.
#[test]
fn every_folder_has_its_target() {
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(cepa_fuzz::target(&name).is_some(), "there is no target `{name}`");
    }
}
