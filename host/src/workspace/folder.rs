//! The open folders behind mounts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use cap_fs_ext::MetadataExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use parking_lot::{Mutex, MutexGuard};

use super::MountProblem;
use super::usage::Usage;

/// An open folder with the count of what is in it.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) dir: Dir,
    /// Where it was when it was opened, links resolved.
    path: PathBuf,
    usage: Mutex<Usage>,
}

impl Folder {
    /// Keeps others from changing the folder through mounts, so that what is counted is what is there.
    pub(super) fn lock(&self) -> MutexGuard<'_, Usage> {
        // A count that a panic left half done is one entry wrong at most, and is made anew before long.
        self.usage.lock()
    }
}

/// Which folder it is, whatever path led there: the device and the number on it.
type Identity = (u64, u64);

/// The folders that are open for changing. Mounts of one folder share its count, whichever layers they belong to.
#[derive(Clone, Debug, Default)]
pub struct Folders(Arc<Mutex<HashMap<Identity, Weak<Folder>>>>);

impl Folders {
    /// Opens a folder. One that is only read needs no count, and may lie where it likes.
    pub(super) fn open(&self, path: &Path, writable: bool) -> Result<Arc<Folder>, MountProblem> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        let (metadata, path) = (dir.dir_metadata()?, path.canonicalize()?);
        let folder = Folder { dir, path, usage: Mutex::default() };
        if !writable {
            return Ok(Arc::new(folder));
        }
        let mut known = self.0.lock();
        known.retain(|_, folder| folder.strong_count() > 0);
        let identity = (metadata.dev(), metadata.ino());
        if let Some(folder) = known.get(&identity).and_then(Weak::upgrade) {
            return Ok(folder);
        }
        if let Some(other) =
            known.values().filter_map(Weak::upgrade).find(|other| nested(&other.path, &folder.path))
        {
            return Err(MountProblem::Nested { other: other.path.clone() });
        }
        let folder = Arc::new(folder);
        known.insert(identity, Arc::downgrade(&folder));
        Ok(folder)
    }
}

/// Whether one of two folders lies in the other: what is written through the one would be missing in the other's count.
pub(crate) fn nested(one: &Path, other: &Path) -> bool {
    one != other && (one.starts_with(other) || other.starts_with(one))
}
