//! The bound of a cache: what was not used for longest goes first.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{folder, sealed};

/// How old a file is that its writer will not finish any more: none is written that long.
const PART_AGE: Duration = Duration::from_secs(60 * 60);

/// A file of the cache. The order is that in which they go.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

/// Removes the files not used for longest until the rest is small enough, and what writers that died left behind.
pub(super) fn shrink(folder: &Path, bytes_max: u64) -> io::Result<()> {
    // Two at once would each see the other's files as too many.
    let _alone = folder::lock(folder)?;
    let (parts, mut entries) = files(folder)?;
    for part in parts {
        if part.used.elapsed().is_ok_and(|age| age > PART_AGE) {
            remove(&part);
        }
    }
    entries.sort();
    let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    for entry in entries {
        if total <= bytes_max {
            break;
        }
        if remove(&entry) {
            total -= entry.bytes;
        }
    }
    Ok(())
}

/// What is being written, and what holds compiled code. Everything else is not the cache's.
fn files(folder: &Path) -> io::Result<(Vec<Entry>, Vec<Entry>)> {
    let (mut parts, mut entries) = (Vec::new(), Vec::new());
    for found in fs::read_dir(folder)? {
        let path = found?.path();
        let kind = match path.extension().and_then(|ending| ending.to_str()) {
            Some(folder::PART) => &mut parts,
            Some(sealed::ENDING) => &mut entries,
            _ => continue,
        };
        // One that is gone by now takes no room.
        if let Ok(meta) = fs::symlink_metadata(&path)
            && meta.is_file()
        {
            let used = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            kind.push(Entry { used, bytes: meta.len(), path });
        }
    }
    Ok((parts, entries))
}

/// Whether the file is gone.
fn remove(entry: &Entry) -> bool {
    match fs::remove_file(&entry.path) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}
