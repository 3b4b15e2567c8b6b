//! Files: the contract's `workspace`, and texts and whole folders on top of it.

use crate::Error;
pub use crate::backend::workspace::{
    Entry, EntryKind, Mount, append, create_folder, entries, mounts, read, read_part, remove, rename, stat,
    write,
};

/// Entries that one call gives at most.
const PAGE: u32 = 1_000;

/// A whole file as a text.
///
/// # Errors
/// The workspace's own, and `invalid-input` when the file is no UTF-8.
pub fn read_text(path: &str) -> Result<String, Error> {
    String::from_utf8(read(path)?).map_err(|_| Error::invalid(format!("`{path}` is no text in UTF-8")))
}

/// Every entry of a folder, asked for page by page.
///
/// # Errors
/// The workspace's own.
pub fn all_entries(path: &str) -> Result<Vec<Entry>, Error> {
    let mut all: Vec<Entry> = Vec::new();
    loop {
        let after = all.last().map(|entry| entry.name.clone());
        let page = entries(path, after.as_deref(), PAGE)?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}
