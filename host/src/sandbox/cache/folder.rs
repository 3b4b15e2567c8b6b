//! The folder of a cache: closed to other users, with the key that its files are sealed with.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// What the hash of each file covers besides the file.
pub(super) type Key = [u8; 32];

const KEY: &str = "key";
const LOCK: &str = "lock";

/// The ending of a file that is being written.
pub(super) const PART: &str = "part";

/// Makes the folder if it is missing, closes it to other users, and gives its key.
pub(super) fn open(folder: &Path) -> io::Result<Key> {
    make(folder)?;
    close(folder)?;
    if let Some(key) = read_key(folder) {
        return Ok(key);
    }
    // The first of several processes makes it, and the others find it.
    let _alone = lock(folder)?;
    if let Some(key) = read_key(folder) {
        return Ok(key);
    }
    let key = fresh_key();
    write_whole(folder, KEY, &[&key])?;
    Ok(key)
}

/// Writes a file wholly or not at all. Only this user can read it.
pub(super) fn write_whole(folder: &Path, name: &str, content: &[&[u8]]) -> io::Result<()> {
    let mut part = tempfile::Builder::new().suffix(&format!(".{PART}")).tempfile_in(folder)?;
    for piece in content {
        part.write_all(piece)?;
    }
    part.as_file().sync_all()?;
    part.persist(folder.join(name))?;
    Ok(())
}

/// Waits until no other process makes a key or evicts files. Ends with the file, or with the process.
pub(super) fn lock(folder: &Path) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
    file.lock()?;
    Ok(file)
}

/// The key, unless it is missing or damaged. With another one, what was sealed with a damaged key is thrown away.
fn read_key(folder: &Path) -> Option<Key> {
    fs::read(folder.join(KEY)).ok()?.try_into().ok()
}

fn fresh_key() -> Key {
    let mut key = Key::default();
    for half in key.chunks_mut(16) {
        half.copy_from_slice(uuid::Uuid::new_v4().as_bytes());
    }
    key
}

fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(folder)
}

/// Others must neither read the key nor write anything. A folder that was closed before is left alone, so that it may
/// be one that can't be changed.
fn close(folder: &Path) -> io::Result<()> {
    let found = fs::metadata(folder)?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
    }
    let others = found.mode() & 0o077;
    if others == 0 {
        return Ok(());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    // Where others could write, somebody else may have put the key there.
    if others & 0o022 != 0
        && let Err(error) = fs::remove_file(folder.join(KEY))
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    Ok(())
}
