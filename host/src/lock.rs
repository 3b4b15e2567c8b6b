//! Locked files, by which processes keep out of each other's way.
//!
//! The system gives a lock free when its process dies, however it dies. What a process writes down could not: who finds
//! it can't tell whether the process that wrote it still lives.

use std::fs::{File, TryLockError};
use std::io;
use std::path::PathBuf;

/// How often to begin again when the file is removed between opening and locking it: each time somebody else ended.
const TRIES: usize = 100;

/// A lock that is held, and the file that shows it.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    place: PathBuf,
}

impl Lock {
    /// The lock on the file at this place, which is made; `None` while another process has it.
    pub(crate) fn take(place: PathBuf) -> io::Result<Option<Self>> {
        for _ in 0..TRIES {
            let file = File::options().create(true).truncate(false).write(true).open(&place)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &place) => return Ok(Some(Self { file, place })),
                // Whoever had it has removed it since it was opened: the lock is on a file that nobody else finds.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }
}

#[cfg(unix)]
fn is_at(file: &File, place: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(place)) {
        (Ok(own), Ok(there)) => (own.dev(), own.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// An open file can't be removed here.
#[cfg(not(unix))]
fn is_at(_file: &File, _place: &std::path::Path) -> bool {
    true
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
