//! Looking at files and folders.

use std::collections::BinaryHeap;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::time::UNIX_EPOCH;

use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_std::fs::{File, Metadata, OpenOptions};

use super::error::{Cause, WorkspaceError};
use super::place::Place;

/// Entries of a folder that are given at once.
pub const ENTRIES_MAX: u32 = 1_000;

/// The largest size that is told: every language has whole numbers up to there.
const SIZE_TOLD_MAX: u64 = 1 << 53;

/// What has a name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The last part of its path.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes of a file; 0 of anything else. At most 2^53.
    pub size: u64,
    /// When it was changed at last, in milliseconds since 1970; 0 where the system does not tell.
    pub modified_ms: u64,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link to somewhere; only among the entries of a folder, since a path leads through it.
    Link,
    /// A device, a pipe or a socket. It can't be opened.
    Other,
}

impl Entry {
    fn new(name: &str, metadata: &Metadata) -> Self {
        let kind = match metadata {
            file if file.is_file() => EntryKind::File,
            folder if folder.is_dir() => EntryKind::Folder,
            link if link.is_symlink() => EntryKind::Link,
            _ => EntryKind::Other,
        };
        let size = if kind == EntryKind::File { metadata.len().min(SIZE_TOLD_MAX) } else { 0 };
        let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let modified_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX).min(SIZE_TOLD_MAX);
        Self { name: name.to_owned(), kind, size, modified_ms }
    }
}

impl Place<'_> {
    pub(super) fn stat(&self) -> Result<Entry, WorkspaceError> {
        let metadata = self.explained(self.root().metadata(self.path()))?;
        Ok(Entry::new(self.name(), &metadata))
    }

    pub(super) fn entries(&self, after: Option<&str>, limit: u32) -> Result<Vec<Entry>, WorkspaceError> {
        let limit = limit.min(ENTRIES_MAX) as usize;
        let folder = self.explained(self.root().open_dir(self.path()))?;
        // The smallest names, the largest of them on top: a folder of any size takes the memory of the answer.
        let mut names: BinaryHeap<String> = BinaryHeap::new();
        for entry in self.explained(folder.entries())? {
            let Ok(name) = self.explained(entry)?.file_name().into_string() else { continue };
            if after.is_none_or(|after| name.as_str() > after) {
                names.push(name);
            }
            if names.len() > limit {
                names.pop();
            }
        }
        let mut entries = Vec::with_capacity(names.len());
        for name in names.into_sorted_vec() {
            match folder.symlink_metadata(&name) {
                Ok(metadata) => entries.push(Entry::new(&name, &metadata)),
                // Somebody removed it meanwhile.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.error(error)),
            }
        }
        Ok(entries)
    }

    /// At most `length` bytes from `offset`. The size is looked at before anything is read.
    pub(super) fn read(&self, offset: u64, length: u64, max: u64) -> Result<Vec<u8>, WorkspaceError> {
        let (mut file, metadata) = self.open(OpenOptions::new().read(true))?;
        let size = metadata.len().saturating_sub(offset).min(length);
        if size > max {
            return Err(self.error(Cause::TooLarge { size, allowed: max }));
        }
        if size == 0 {
            return Ok(Vec::new());
        }
        let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.take(size).read_to_end(&mut content));
        self.explained(read)?;
        Ok(content)
    }

    /// Opens what must be a file. Pipes and devices are not waited for: they are opened without blocking, and what was
    /// opened is looked at.
    pub(super) fn open(&self, options: &mut OpenOptions) -> Result<(File, Metadata), WorkspaceError> {
        let opened = self.root().open_with(self.path(), options.nonblock(true));
        let file = match opened {
            Ok(file) => file,
            Err(error) => return Err(self.not_opened(error)),
        };
        let metadata = self.explained(file.metadata())?;
        if metadata.is_file() { Ok((file, metadata)) } else { Err(self.error(Cause::NotAFile)) }
    }

    /// Systems refuse to open a socket or a folder in words of their own.
    fn not_opened(&self, error: std::io::Error) -> WorkspaceError {
        match self.root().metadata(self.path()) {
            Ok(metadata) if !metadata.is_file() => self.error(Cause::NotAFile),
            _ => self.error(error),
        }
    }
}
