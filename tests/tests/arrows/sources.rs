//! The sources of the host, sorted by room.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::names::names;

/// A source file and what it names.
pub(crate) struct Source {
    /// Its path below `host/src`.
    pub(crate) file: String,
    /// The module or folder below `host/src` that it belongs to.
    pub(crate) room: String,
    /// The first two parts of each path that it names.
    pub(crate) names: BTreeSet<String>,
}

impl Source {
    /// The rooms that it names.
    pub(crate) fn rooms(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(|name| name.strip_prefix("crate::"))
    }
}

/// All sources in rooms: the roots of the library and of the binary name everything.
pub(crate) fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let sources = files.iter().map(|path| source(path.strip_prefix(&root).expect("it is below"), path));
    sources.filter(|source| !["lib", "main"].contains(&source.room.as_str())).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn source(below: &Path, path: &Path) -> Source {
    let file = below.to_str().expect("sources have plain names").to_owned();
    let (first, _) = file.split_once('/').unwrap_or((file.as_str(), ""));
    let room = first.trim_end_matches(".rs").to_owned();
    let text = fs::read_to_string(path).expect("the source can be read");
    // The command line is in the binary, for which the library is another crate.
    let names = names(&text).into_iter().map(|name| match name.strip_prefix("cepa::") {
        Some(room) => format!("crate::{room}"),
        None => name,
    });
    Source { names: names.collect(), file, room }
}
