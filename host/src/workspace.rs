//! Files of the host that a layer may use: folders under names, called mounts, and what is done below them.
//!
//! The host never builds a path of the system from what a guest wrote. Each mount is an open folder, and every path is
//! resolved from there by `cap-std`, which leaves it by no way: not by `..`, not by a link, also when somebody puts a
//! link in the way meanwhile. What a path may look like is said in [`path`].
//!
//! Hard links are files like others, whatever other names they have outside: they can be read. Nothing outside changes
//! through them: [`Workspace::write`] puts a new file in their place, and [`Workspace::append`] refuses them.
//!
//! Everything here blocks; async callers use a thread for it.

mod change;
mod error;
mod folder;
pub mod path;
mod place;
mod read;
mod usage;

use std::path::PathBuf;

use crate::policy::MountSpec;

pub use error::{Cause, WorkspaceError};
use folder::Folder;
pub use folder::Folders;
pub(crate) use folder::nested;
use place::Place;
pub use read::{ENTRIES_MAX, Entry, EntryKind};
pub use usage::Quota;

/// The mounts of one layer.
#[derive(Debug)]
pub struct Workspace {
    mounts: Vec<Mount>,
    quota: Quota,
}

/// A folder under a name.
#[derive(Debug)]
struct Mount {
    name: String,
    writable: bool,
    folder: std::sync::Arc<Folder>,
}

/// Why a mount can't be opened. For the operator: it names the folder.
#[derive(Debug, thiserror::Error)]
#[error("folder `{folder}` of mount `{mount}` {cause}")]
pub struct MountError {
    /// The mount.
    pub mount: String,
    /// The folder.
    pub folder: PathBuf,
    /// What is wrong with it.
    pub cause: MountProblem,
}

/// What is wrong with the folder of a mount, said after it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MountProblem {
    /// The system refuses.
    #[error("can't be opened: {0}")]
    System(#[from] std::io::Error),
    /// It is to be changed, and so is one that it lies in, or that lies in it.
    #[error(
        "and folder `{other}` of another mount lie one in the other, and both are to be changed, so that neither knows how much is in it; let one be read only, or mount the outer one alone"
    )]
    Nested {
        /// The other folder.
        other: PathBuf,
    },
}

impl Workspace {
    /// Opens these mounts, each writable one with this quota. Mounts of one folder share the count of what is in it,
    /// as far as they were opened with the same `folders`.
    ///
    /// # Errors
    /// When a folder is not there or can't be opened, and when two that are to be changed lie one in the other.
    pub fn open(mounts: &[MountSpec], quota: Quota, folders: &Folders) -> Result<Self, MountError> {
        let open = |spec: &MountSpec| match folders.open(&spec.folder, spec.writable) {
            Ok(folder) => Ok(Mount { name: spec.name.clone(), writable: spec.writable, folder }),
            Err(cause) => Err(MountError { mount: spec.name.clone(), folder: spec.folder.clone(), cause }),
        };
        let mut mounts: Vec<Mount> = mounts.iter().map(open).collect::<Result<_, _>>()?;
        mounts.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self { mounts, quota })
    }

    /// The names of the mounts, sorted, and whether each is writable.
    pub fn mounts(&self) -> impl Iterator<Item = (&str, bool)> {
        self.mounts.iter().map(|mount| (mount.name.as_str(), mount.writable))
    }

    /// What is at a path. Links are followed.
    ///
    /// # Errors
    /// As for every function here: the path can't be used, leads out of its mount, or the system refuses.
    pub fn stat(&self, path: &str) -> Result<Entry, WorkspaceError> {
        self.place(path)?.stat()
    }

    /// The first entries of a folder after a name, or from the start, sorted by the bytes of their names.
    ///
    /// At most [`ENTRIES_MAX`] at once. Names that are no UTF-8 are left out.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn entries(&self, path: &str, after: Option<&str>, limit: u32) -> Result<Vec<Entry>, WorkspaceError> {
        self.place(path)?.entries(after, limit)
    }

    /// The whole of a file.
    ///
    /// # Errors
    /// When there is no such file, or it has more than `max` bytes; then none of it is read.
    pub fn read(&self, path: &str, max: u64) -> Result<Vec<u8>, WorkspaceError> {
        self.place(path)?.read(0, u64::MAX, max)
    }

    /// The part of a file from `offset` that is `length` bytes long; shorter only where the file ends.
    ///
    /// # Errors
    /// When there is no such file, or the part has more than `max` bytes; then none of it is read.
    pub fn read_part(
        &self,
        path: &str,
        offset: u64,
        length: u32,
        max: u64,
    ) -> Result<Vec<u8>, WorkspaceError> {
        self.place(path)?.read(offset, length.into(), max)
    }

    /// Makes a file, or puts a new one in its place with the permissions of the old. Who reads meanwhile finds the one
    /// or the other whole.
    ///
    /// # Errors
    /// When the folder is not there, something else than a file is in the place, or a quota is reached.
    pub fn write(&self, path: &str, content: &[u8]) -> Result<(), WorkspaceError> {
        self.changeable(path)?.write(content, self.quota)
    }

    /// Adds at the end of a file, which is made when it is not there.
    ///
    /// # Errors
    /// As for [`Workspace::write`], and when the file has another name by a hard link.
    pub fn append(&self, path: &str, content: &[u8]) -> Result<(), WorkspaceError> {
        self.changeable(path)?.append(content, self.quota)
    }

    /// Makes a folder, and those above it that are not there. One that is there already is no error.
    ///
    /// # Errors
    /// When something else is in the place, or a quota is reached.
    pub fn create_folder(&self, path: &str) -> Result<(), WorkspaceError> {
        self.changeable(path)?.create_folder(self.quota)
    }

    /// Removes a file, a link or an empty folder.
    ///
    /// # Errors
    /// When it is not there, or a folder that is not empty.
    pub fn remove(&self, path: &str) -> Result<(), WorkspaceError> {
        self.changeable(path)?.remove()
    }

    /// Moves a file or a folder within its mount, to where nothing is yet.
    ///
    /// # Errors
    /// When it is not there, or something is at the target.
    pub fn rename(&self, path: &str, target: &str) -> Result<(), WorkspaceError> {
        self.changeable(path)?.rename(&self.changeable(target)?)
    }

    fn place<'a>(&'a self, path: &'a str) -> Result<Place<'a>, WorkspaceError> {
        let parts = path::parse(path).map_err(|problem| WorkspaceError::new(path, Cause::Path(problem)))?;
        match self.mounts.iter().find(|mount| mount.name == parts.mount) {
            Some(mount) => Ok(Place { mount, below: parts.below, written: path }),
            None => Err(WorkspaceError::new(path, Cause::NoMount)),
        }
    }

    /// A place below a writable mount, and not the mount itself.
    fn changeable<'a>(&'a self, path: &'a str) -> Result<Place<'a>, WorkspaceError> {
        let place = self.place(path)?;
        if !place.mount.writable {
            return Err(place.error(Cause::ReadOnly));
        }
        if place.below.is_empty() { Err(place.error(Cause::MountItself)) } else { Ok(place) }
    }
}
