//! What every SQLite file of the host has in common: how it is made, and how long processes wait for each other.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

/// How long to wait for another process that writes to the same file.
pub(crate) const BUSY: Duration = Duration::from_secs(10);

/// How long to wait before it is tried again where SQLite does not wait itself.
const AGAIN: Duration = Duration::from_millis(5);

/// Makes an absent file, readable for its owner alone.
pub(crate) fn make(path: &Path) -> std::io::Result<()> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).map(drop)
}

/// Switches the write-ahead log on. SQLite itself does not wait here for others that open the file at the same time,
/// since it takes the lock of one that reads already.
pub(crate) fn switch_to_log(connection: &Connection) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        let switched = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match switched {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && begun.elapsed() < BUSY =>
            {
                std::thread::sleep(AGAIN);
            }
            switched => return switched,
        }
    }
}
