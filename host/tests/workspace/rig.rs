//! A workspace over a folder of its own, with a secret beside it.

use std::path::{Path, PathBuf};

use cepa::policy::MountSpec;
use cepa::workspace::{Cause, Folders, Quota, Workspace, WorkspaceError};
use tempfile::TempDir;

/// More than any test reads at once.
pub const MAX: u64 = 1 << 20;

/// A quota that no test reaches by accident.
pub const ROOM: Quota = Quota { bytes: 1 << 20, files: 1_000 };

pub struct Rig {
    folder: TempDir,
    pub workspace: Workspace,
}

impl Rig {
    /// The mounts `work`, to be changed, and `skills`, to be read, in folders side by side.
    pub fn new() -> Self {
        Self::with_quota(ROOM)
    }

    pub fn with_quota(quota: Quota) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "skills"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("secret"), "hidden").unwrap();
        let workspace = open(folder.path(), quota, &Folders::default());
        Self { folder, workspace }
    }

    /// A second workspace over the same folders, as another layer has it.
    pub fn again(&self, quota: Quota, folders: &Folders) -> Workspace {
        open(self.folder.path(), quota, folders)
    }

    /// A path of the system, below the folder that holds both mounts.
    pub fn host(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Puts a file there from outside.
    pub fn put(&self, path: &str, content: &str) {
        let path = self.host(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn get(&self, path: &str) -> String {
        std::fs::read_to_string(self.host(path)).unwrap()
    }

    /// What a layer reads at a path.
    pub fn read(&self, path: &str) -> Result<String, WorkspaceError> {
        self.workspace.read(path, MAX).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = self.workspace.entries(path, None, 1_000).unwrap();
        entries.into_iter().map(|entry| entry.name).collect()
    }

    /// Everything that can be done at a path, and what came of it.
    pub fn try_all(&self, path: &str) -> Vec<(&'static str, Option<Cause>)> {
        let space = &self.workspace;
        let cause = |result: Result<(), WorkspaceError>| result.err().map(|error| error.cause);
        vec![
            ("stat", cause(space.stat(path).map(drop))),
            ("entries", cause(space.entries(path, None, 10).map(drop))),
            ("read", cause(space.read(path, MAX).map(drop))),
            ("read-part", cause(space.read_part(path, 0, 10, MAX).map(drop))),
            ("write", cause(space.write(path, b"x"))),
            ("append", cause(space.append(path, b"x"))),
            ("create-folder", cause(space.create_folder(path))),
            ("remove", cause(space.remove(path))),
            ("rename", cause(space.rename(path, "work/elsewhere"))),
            ("rename-to", cause(space.rename("work/from", path))),
        ]
    }
}

fn open(folder: &Path, quota: Quota, folders: &Folders) -> Workspace {
    let mount =
        |name: &str, writable| MountSpec { name: name.to_owned(), folder: folder.join(name), writable };
    Workspace::open(&[mount("work", true), mount("skills", false)], quota, folders).unwrap()
}
