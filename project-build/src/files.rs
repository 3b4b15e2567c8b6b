//! The files of a project, and whether they have changed.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::Error;

/// What a build, a chat and a recording leave beside the sources. None of it is what a component is made of, and some
/// of it changes with each build or reply.
const LEFT_BEHIND: [&str; 5] = ["wasm", "db", "db-wal", "db-shm", "recording"];

/// The most files of a project: what has more is a folder that was named by mistake.
const FILES_MAX: usize = 10_000;

/// A file as it was at one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// Its path.
    pub path: PathBuf,
    /// When it was changed, its size, and which file it is: an editor may put another one in its place. `None` when it
    /// is not there.
    pub state: Option<(SystemTime, u64, u64)>,
}

impl FileStamp {
    /// The file at a path as it is now.
    pub fn of(path: PathBuf) -> Self {
        let state = fs::metadata(&path).ok();
        let state = state.and_then(|state| Some((state.modified().ok()?, state.len(), state.ino())));
        Self { path, state }
    }
}

/// All files of a project as they are now, without what was built or is hidden; none if the folder can't be read.
pub fn project_files(folder: &Path) -> Vec<FileStamp> {
    files_below(folder).unwrap_or_default().into_iter().map(FileStamp::of).collect()
}

/// All files below a folder, sorted, but for what was built and for what is hidden.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    gather(folder, &mut found)?;
    found.sort();
    Ok(found)
}

/// Writes a file of a build, into a folder that is made when it is missing.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    fs::write(path, bytes).map_err(Error::file(path))
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::file(folder))? {
        let entry = entry.map_err(Error::file(folder))?;
        let name = entry.file_name();
        let left_out = ["target", "node_modules", "__pycache__"].iter().any(|left_out| name == *left_out);
        if left_out || name.to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        // A link to a folder is not followed: it might lead in a circle.
        match entry.file_type().map_err(Error::file(&path))? {
            kind if kind.is_dir() => gather(&path, found)?,
            _ if path.is_file() && !is_left_behind(&path) => found.push(path),
            _ => {}
        }
        if found.len() > FILES_MAX {
            return Err(Error::TooManyFiles { folder: folder.to_owned(), most: FILES_MAX });
        }
    }
    Ok(())
}

fn is_left_behind(path: &Path) -> bool {
    path.extension().is_some_and(|end| LEFT_BEHIND.iter().any(|left| end == *left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_hidden_or_left_behind_is_no_file_of_a_project() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [
            "a.c",
            "lib/b.c",
            "a.wasm",
            "cepa.db",
            "cepa.db-wal",
            ".git/x",
            "target/y.c",
            "node_modules/z.js",
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("its folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        let names: Vec<_> = project_files(folder.path())
            .into_iter()
            .map(|file| file.path.strip_prefix(folder.path()).expect("a path in it").display().to_string())
            .collect();
        assert_eq!(names, ["a.c", "lib/b.c"]);
    }

    #[test]
    fn a_folder_of_too_many_files_is_no_project() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..=FILES_MAX {
            fs::write(folder.path().join(format!("{number}.c")), "").expect("a file");
        }
        assert!(matches!(files_below(folder.path()), Err(Error::TooManyFiles { .. })));
    }
}
