//! The open folders behind mounts.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cap_fs_ext::MetadataExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::usage::Usage;

/// An open folder with the count of what is in it.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) dir: Dir,
    usage: Mutex<Usage>,
}

impl Folder {
    /// Keeps others from changing the folder through mounts, so that what is counted is what is there.
    pub(super) fn lock(&self) -> MutexGuard<'_, Usage> {
        // A count that a panic left half done is one entry wrong at most, and is made anew before it refuses anything.
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which folder it is, whatever path led there: the device and the number on it.
type Identity = (u64, u64);

/// The folders that are open. Mounts of one folder share its count, whichever layers they belong to.
#[derive(Clone, Debug, Default)]
pub struct Folders(Arc<Mutex<HashMap<Identity, Weak<Folder>>>>);

impl Folders {
    pub(super) fn open(&self, path: &Path) -> io::Result<Arc<Folder>> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        let metadata = dir.dir_metadata()?;
        let identity = (metadata.dev(), metadata.ino());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = known.get(&identity).and_then(Weak::upgrade) {
            return Ok(folder);
        }
        let folder = Arc::new(Folder { dir, usage: Mutex::default() });
        known.retain(|_, folder| folder.strong_count() > 0);
        known.insert(identity, Arc::downgrade(&folder));
        Ok(folder)
    }
}
