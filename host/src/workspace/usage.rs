//! What is in a folder, against what may be in it.

use std::io;
use std::path::PathBuf;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use super::error::Cause;

/// How much a writable mount may hold. What was there before counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Files, folders, and whatever else has a name.
    pub files: u64,
}

/// What is in a folder, as far as it was counted. Changes through mounts keep it right; those of others are seen when
/// it is counted anew, which happens before anything is refused.
#[derive(Debug, Default)]
pub(super) struct Usage {
    bytes: u64,
    files: u64,
    /// Whether everything was counted: not at first, nor where there is more than was allowed.
    whole: bool,
}

impl Usage {
    /// Makes sure that there is room for so much more.
    pub(super) fn make_room(&mut self, dir: &Dir, quota: Quota, bytes: u64, files: u64) -> Result<(), Cause> {
        let fits = self.whole && self.lacks(quota, bytes, files).is_none();
        if fits || (bytes, files) == (0, 0) {
            return Ok(());
        }
        *self = Self::count(dir, quota.files)?;
        self.lacks(quota, bytes, files).map_or(Ok(()), Err)
    }

    fn lacks(&self, quota: Quota, bytes: u64, files: u64) -> Option<Cause> {
        let bounds = [
            ("workspace-files", self.files, files, quota.files),
            ("workspace-bytes", self.bytes, bytes, quota.bytes),
        ];
        bounds.into_iter().find_map(|(limit, used, more, allowed)| {
            let used = used.saturating_add(more);
            (more > 0 && used > allowed).then_some(Cause::Full { limit, used, allowed })
        })
    }

    /// One more entry.
    pub(super) fn add_entry(&mut self) {
        self.files = self.files.saturating_add(1);
    }

    /// One entry less, a file of so many bytes or something else.
    pub(super) fn remove_entry(&mut self, bytes: u64) {
        self.files = self.files.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// A file has other bytes than before.
    pub(super) fn resize(&mut self, before: u64, now: u64) {
        self.bytes = self.bytes.saturating_sub(before).saturating_add(now);
    }

    /// Counts what is in a folder, links as they are, up to one entry more than may be there.
    fn count(dir: &Dir, files_max: u64) -> io::Result<Self> {
        let mut usage = Self { whole: true, ..Self::default() };
        let mut folders = vec![PathBuf::from(".")];
        while let Some(folder) = folders.pop() {
            let Some(entries) = present(dir.open_dir_nofollow(&folder).and_then(|folder| folder.entries()))?
            else {
                continue;
            };
            for entry in entries {
                if usage.files > files_max {
                    return Ok(Self { whole: false, ..usage });
                }
                let entry = entry?;
                let Some(metadata) = present(entry.metadata())? else { continue };
                usage.add_entry();
                if metadata.is_dir() {
                    folders.push(folder.join(entry.file_name()));
                } else if metadata.is_file() {
                    usage.resize(0, metadata.len());
                }
            }
        }
        Ok(usage)
    }
}

/// `None` for what somebody removed meanwhile, and for folders that this program may not look into, nor write to.
fn present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied => {
                Ok(None)
            }
            _ => Err(error),
        },
    }
}
