//! `cepa build --watch`: builds again whenever the project changes.

use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

use cepa_project_build::{FileStamp, project_files};

use super::super::args::BuildArgs;
use super::super::exit::{Exit, Failure};
use super::super::view::Mode;

/// How often the files are looked at. What has changed is built when it has stood still for as long.
const PERIOD: Duration = Duration::from_millis(300);

/// Builds until the program is interrupted. A failed build is told, and the next change is waited for.
pub(super) fn watch(args: &BuildArgs, mode: Mode) -> Result<Exit, Failure> {
    let mut changes = Changes::default();
    loop {
        if changes.settled(project_files(&args.folder)) {
            match super::once(args, mode) {
                // Who should read the paths has gone.
                Err(failure) if failure.is_silent() => return Err(failure),
                Err(failure) => super::super::tell(&failure, mode),
                Ok(()) => {}
            }
            if mode == Mode::Human {
                writeln!(io::stderr(), "waiting for a change in `{}`", args.folder.display())?;
            }
        }
        thread::sleep(PERIOD);
    }
}

/// What the looks at the files have seen.
#[derive(Default)]
struct Changes {
    last: Option<Vec<FileStamp>>,
    built: Option<Vec<FileStamp>>,
}

impl Changes {
    /// Whether the files are others than those that were built, and stand still. The first look is built at once.
    fn settled(&mut self, files: Vec<FileStamp>) -> bool {
        let still = self.last.is_none() || self.last.as_ref() == Some(&files);
        let news = still && self.built.as_ref() != Some(&files);
        if news {
            self.built = Some(files.clone());
        }
        self.last = Some(files);
        news
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn files(inode: u64) -> Vec<FileStamp> {
        vec![FileStamp { path: "a.c".into(), state: Some((SystemTime::UNIX_EPOCH, 1, inode)) }]
    }

    #[test]
    fn a_project_is_built_at_once_and_then_when_a_change_has_settled() {
        let mut changes = Changes::default();
        let looks = [1, 1, 2, 3, 3, 3, 1, 1].map(|inode| changes.settled(files(inode)));
        assert_eq!(looks, [true, false, false, false, true, false, false, true]);
    }
}
