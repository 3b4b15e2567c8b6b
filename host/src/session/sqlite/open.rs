//! Opening a session file: what it must be, and what is made where there is none.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::sqlite::{BUSY, make, switch_to_log};

use super::super::StoreError;
use super::read::all;
use super::seen::Seen;
use super::state::Sizes;

/// `Cepa` in ASCII: marks a SQLite file as ours.
const APPLICATION_ID: u32 = 0x4365_7061;
/// The format that this program writes, and the newest that it reads.
const FORMAT: u32 = 1;

const SCHEMA: &str = "
CREATE TABLE session (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- Counts the batches, so that a process notices the writes of another.
    revision INTEGER NOT NULL,
    -- The greater, the later used.
    used INTEGER NOT NULL,
    reply_id TEXT,
    reply TEXT
) STRICT;
CREATE INDEX session_used ON session (used);
CREATE TABLE message (
    session INTEGER NOT NULL REFERENCES session (key),
    position INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (session, position)
) STRICT;
CREATE TABLE open_call (
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (key),
    id TEXT NOT NULL,
    json TEXT NOT NULL,
    UNIQUE (session, id)
) STRICT;
CREATE TABLE usage (
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (key),
    model TEXT NOT NULL,
    json TEXT NOT NULL,
    calls INTEGER NOT NULL,
    UNIQUE (session, model)
) STRICT;
CREATE TABLE state (
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    layer TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (scope, owner, layer, key)
) STRICT;
";

/// The tables of the schema, sorted.
const TABLES: [&str; 5] = ["message", "open_call", "session", "state", "usage"];

/// An open session file.
pub(super) struct SessionFile {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    /// Up to which batch this process knows sessions.
    pub(super) seen: Seen,
    /// What the places of layers' state hold.
    pub(super) sizes: Sizes,
}

impl SessionFile {
    /// Opens or makes the file.
    pub(super) fn open(path: PathBuf) -> Result<Self, StoreError> {
        check_header(&path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags).map_err(|error| explain(&path, &error))?;
        let mut file = Self { path, connection, seen: Seen::default(), sizes: Sizes::default() };
        file.prepare()?;
        Ok(file)
    }

    fn prepare(&mut self) -> Result<(), StoreError> {
        self.run(|connection| {
            connection.busy_timeout(BUSY)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok(())
        })?;
        self.transaction(|change| {
            let tables: u32 = change.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            if tables == 0 {
                // All of it goes into the main file before the write-ahead log is switched on, so that the header
                // tells from then on whose file this is.
                change.execute_batch(SCHEMA)?;
                change.pragma_update(None, "application_id", APPLICATION_ID)?;
                change.pragma_update(None, "user_version", FORMAT)?;
            }
            Ok(())
        })?;
        self.check_content()?;
        self.run(|connection| {
            switch_to_log(connection)?;
            connection.pragma_update(None, "synchronous", "FULL")
        })
    }

    fn check_content(&self) -> Result<(), StoreError> {
        let verdict: String =
            self.run(|connection| connection.pragma_query_value(None, "quick_check", |row| row.get(0)))?;
        if verdict != "ok" {
            // The whole of it names each page of the file.
            let first = verdict.lines().find(|line| !line.starts_with("***")).unwrap_or_default();
            return Err(damaged(&self.path, first.to_owned()));
        }
        let tables = self.run(|connection| {
            let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
            all(connection, sql, [], |row| row.get::<_, String>(0))
        })?;
        if tables != TABLES {
            return Err(damaged(&self.path, format!("its tables are {}", tables.join(", "))));
        }
        Ok(())
    }

    /// Reads.
    pub(super) fn run<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        read(&self.connection).map_err(|error| explain(&self.path, &error))
    }

    /// Changes all or nothing.
    pub(super) fn transaction<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Stop>,
    ) -> Result<T, StoreError> {
        // Taking the write lock at once means that what is read inside can't be changed by another process.
        let result = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Stop::Sqlite)
            .and_then(|transaction| {
                let value = change(&transaction)?;
                transaction.commit()?;
                Ok(value)
            });
        result.map_err(|stop| match stop {
            Stop::Sqlite(error) => explain(&self.path, &error),
            Stop::Refused(error) => error,
        })
    }
}

/// Why a change was given up.
pub(super) enum Stop {
    Sqlite(rusqlite::Error),
    Refused(StoreError),
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

/// Looks at the file before SQLite does, since that one may write while it merely looks. Makes an absent file, readable
/// for its owner alone.
fn check_header(path: &Path) -> Result<(), StoreError> {
    let mut header = [0; 100];
    let read = File::open(path).and_then(|mut file| {
        let mut read = 0;
        while let Some(rest) = header.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match file.read(rest)? {
                0 => break,
                more => read += more,
            }
        }
        Ok(read)
    });
    let read = match read {
        Ok(read) => read,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return make(path).map_err(|error| io(path, &error));
        }
        Err(error) => return Err(io(path, &error)),
    };
    if read == 0 {
        return Ok(());
    }
    if read < header.len() || !header.starts_with(b"SQLite format 3\0") {
        return Err(damaged(path, "it is no SQLite file".to_owned()));
    }
    let word = |at| header.iter().skip(at).take(4).fold(0, |word, byte| word << 8 | u32::from(*byte));
    if word(68) != APPLICATION_ID {
        return Err(damaged(path, "it is a SQLite file of another program".to_owned()));
    }
    if word(60) > FORMAT {
        return Err(StoreError::Newer { path: path.display().to_string(), found: word(60), known: FORMAT });
    }
    Ok(())
}

fn io(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Io { path: path.display().to_string(), cause: error.to_string() }
}

fn damaged(path: &Path, cause: String) -> StoreError {
    StoreError::Damaged { path: path.display().to_string(), cause }
}

/// Says what an error of SQLite means for the file.
fn explain(path: &Path, error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    let broken = match error {
        // `Unknown` is SQLite's plain error: the tables are not ours.
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(failure.code, DatabaseCorrupt | NotADatabase | Unknown)
        }
        _ => true,
    };
    let cause = error.to_string();
    if broken {
        return damaged(path, cause);
    }
    StoreError::Io { path: path.display().to_string(), cause }
}
