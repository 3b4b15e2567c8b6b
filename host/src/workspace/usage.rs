//! What is in a folder, against what may be in it.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

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

/// A folder of more entries is not counted anew each time that something has no room: it would be locked all the time.
const QUICKLY_COUNTED: u64 = 1_000;

/// How long the count of such a folder does.
const COUNT_LASTS: Duration = Duration::from_secs(1);

/// What is in a folder, as far as it was counted. Changes through mounts keep it right; those of others are seen when
/// it is counted anew, which happens before anything is refused, in a large folder once a second.
#[derive(Debug, Default)]
pub(super) struct Usage {
    bytes: u64,
    files: u64,
    /// Whether everything was counted: not at first, nor where there is more than was allowed.
    whole: bool,
    /// When it was counted at last, and up to how many entries.
    counted: Option<(Instant, u64)>,
}

impl Usage {
    /// Makes sure that there is room for so much more.
    pub(super) fn make_room(&mut self, dir: &Dir, quota: Quota, bytes: u64, files: u64) -> Result<(), Cause> {
        if (bytes, files) == (0, 0) {
            return Ok(());
        }
        let fits = self.whole && self.lacks(quota, bytes, files).is_none();
        if !fits && !self.is_fresh(quota) {
            *self = Self::count(dir, quota.files)?;
        }
        match self.lacks(quota, bytes, files) {
            Some(full) => Err(full),
            None if self.whole => Ok(()),
            // What was not counted may have any size.
            None => {
                let (limit, allowed) = ("workspace-files", quota.files);
                Err(Cause::Full { limit, used: allowed.saturating_add(1), allowed })
            }
        }
    }

    /// Whether another count would take long and tell little: a large folder was counted just now, and as far as it
    /// matters here.
    fn is_fresh(&self, quota: Quota) -> bool {
        self.files > QUICKLY_COUNTED
            && self.counted.is_some_and(|(at, up_to)| up_to >= quota.files && at.elapsed() < COUNT_LASTS)
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
        let counted = |usage: Self| Self { counted: Some((Instant::now(), files_max)), ..usage };
        let mut folders = vec![PathBuf::from(".")];
        while let Some(folder) = folders.pop() {
            let Some(entries) = present(dir.open_dir_nofollow(&folder).and_then(|folder| folder.entries()))?
            else {
                continue;
            };
            for entry in entries {
                if usage.files > files_max {
                    return Ok(counted(Self { whole: false, ..usage }));
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
        Ok(counted(usage))
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

#[cfg(test)]
mod tests {
    use cap_std::ambient_authority;
    use tempfile::TempDir;

    use super::*;

    const FILES: u64 = QUICKLY_COUNTED + 3;

    /// A folder of so many files that it is not counted each time.
    fn large_folder() -> (TempDir, Dir) {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..FILES {
            std::fs::write(folder.path().join(n.to_string()), "x").unwrap();
        }
        let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        (folder, dir)
    }

    fn quota(files: u64) -> Quota {
        Quota { bytes: u64::MAX, files }
    }

    #[test]
    fn a_large_folder_that_is_full_is_not_counted_at_each_refusal() {
        let (folder, dir) = large_folder();
        let mut usage = Usage::default();
        let mut one_more = |files: u64, just_counted: bool| {
            // No matter how slow the machine is: the count was made just now, or it is none any more.
            usage.counted =
                usage.counted.filter(|_| just_counted).map(|(at, up_to)| (at + COUNT_LASTS, up_to));
            usage.make_room(&dir, quota(files), 0, 1).is_ok()
        };
        let (small, large) = (QUICKLY_COUNTED, FILES + 1);
        assert!(!one_more(small, false), "it is counted as far as this quota goes");
        assert!(one_more(large, true), "that does not hold for a larger one");
        assert!(!one_more(small, true));
        for n in 0..FILES / 2 {
            std::fs::remove_file(folder.path().join(n.to_string())).unwrap();
        }
        assert!(!one_more(small, true), "the count is a moment old");
        assert!(one_more(small, false), "it is counted anew");
    }

    #[test]
    fn nothing_grows_where_not_everything_was_counted() {
        let (_folder, dir) = large_folder();
        let mut usage = Usage::default();
        let refused = usage.make_room(&dir, quota(10), 1, 0);
        assert_eq!(refused, Err(Cause::Full { limit: "workspace-files", used: 11, allowed: 10 }));
        assert_eq!(usage.make_room(&dir, quota(FILES), 1, 0), Ok(()));
    }
}
