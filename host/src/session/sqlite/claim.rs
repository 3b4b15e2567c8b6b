//! Claims on sessions: a locked file for each session in which a reply runs.
//!
//! The system gives a lock free when its process dies, however it dies. A row in the session file could not: who finds
//! one can't tell whether the process that wrote it still lives.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::super::{Claim, StoreError};

/// How often to begin again when the file is removed between opening and locking it: each time somebody else ended.
const TRIES: usize = 100;

/// Claims a session of the session file at `path`.
pub(super) fn claim(path: &Path, session_id: &str) -> Result<Claim, StoreError> {
    let locked = place(path, session_id).and_then(lock);
    match locked {
        Ok(Some(lock)) => Ok(Claim::held(lock)),
        Ok(None) => Err(StoreError::Claimed(session_id.to_owned())),
        Err(cause) => {
            let cause = format!("session `{session_id}` can't be claimed: {cause}");
            Err(StoreError::Io { path: path.display().to_string(), cause })
        }
    }
}

/// Beside the session file, as its log is: the same for whoever reaches it by another path.
fn place(path: &Path, session_id: &str) -> io::Result<PathBuf> {
    let mut folder = path.canonicalize()?.into_os_string();
    folder.push("-claims");
    std::fs::create_dir_all(&folder)?;
    Ok(Path::new(&folder).join(name(session_id)))
}

/// Ids are any text, and names of files are not.
fn name(session_id: &str) -> String {
    Sha256::digest(session_id).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The lock on a file, or `None` while another process has it.
fn lock(place: PathBuf) -> io::Result<Option<Lock>> {
    for _ in 0..TRIES {
        let file = File::options().create(true).truncate(false).write(true).open(&place)?;
        match file.try_lock() {
            Ok(()) if is_at(&file, &place) => return Ok(Some(Lock { file, place })),
            // Whoever had it has removed it since it was opened: the lock is on a file that nobody else finds.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(unix)]
fn is_at(file: &File, place: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(place)) {
        (Ok(own), Ok(there)) => (own.dev(), own.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// An open file can't be removed here.
#[cfg(not(unix))]
fn is_at(_file: &File, _place: &Path) -> bool {
    true
}

/// A lock that is held, and the file that shows it.
struct Lock {
    file: File,
    place: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, so that nobody else's is removed. A file that stays is no harm: only a lock counts.
        if cfg!(unix) {
            let _ = std::fs::remove_file(&self.place);
        }
        // Closing it does the same.
        let _ = self.file.unlock();
    }
}
