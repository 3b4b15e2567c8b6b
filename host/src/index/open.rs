//! Opening an index file: what it must be, and what is made where there is none.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::sqlite::{BUSY, make, switch_to_log};

use super::error::OpenError;

/// `CepI` in ASCII: marks a SQLite file as ours.
const APPLICATION_ID: u32 = 0x4365_7049;
/// The format that this program writes, and the newest that it reads.
const FORMAT: u32 = 1;

const SCHEMA: &str = "
CREATE TABLE layer (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- What its documents count toward its quota.
    bytes INTEGER NOT NULL
) STRICT;
CREATE TABLE collection (
    key INTEGER PRIMARY KEY,
    layer INTEGER NOT NULL REFERENCES layer (key),
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (layer, scope, owner, name)
) STRICT;
CREATE TABLE document (
    key INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL REFERENCES collection (key),
    id TEXT NOT NULL,
    metadata TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (collection, id)
) STRICT;
";

/// The table of a layer's words, by the layer's key. It keeps no text, which `document` has.
pub(super) fn words_table(layer: i64) -> String {
    format!("words_{layer}")
}

/// Makes the table of a layer's words. Marks belong to words, or Hindi would fall apart.
pub(super) fn words_schema(layer: i64) -> String {
    format!(
        "CREATE VIRTUAL TABLE {} USING fts5(collection, words, content='', contentless_delete=1,
         tokenize=\"unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\")",
        words_table(layer)
    )
}

/// An index in memory.
pub(super) fn memory() -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    prepare(&mut connection)?;
    Ok(connection)
}

/// An index file.
pub(super) fn file(path: &Path) -> Result<Connection, OpenError> {
    make(path).map_err(|error| OpenError::System { path: path.to_owned(), cause: error.to_string() })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|mut connection| {
        connection.busy_timeout(BUSY)?;
        prepare(&mut connection).map(|ours| (connection, ours))
    });
    match opened {
        Ok((connection, Ours::Yes)) => Ok(connection),
        Ok((_, Ours::No(cause))) => Err(OpenError::Foreign { path: path.to_owned(), cause }),
        Ok((_, Ours::Newer(found))) => Err(OpenError::Newer { path: path.to_owned(), found, known: FORMAT }),
        Err(error) => Err(explain(path, &error)),
    }
}

/// Whose file it is.
enum Ours {
    Yes,
    No(String),
    Newer(u32),
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<Ours> {
    let ours = first_look(connection)?;
    if matches!(ours, Ours::Yes) {
        connection.pragma_update(None, "foreign_keys", true)?;
        switch_to_log(connection)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
    }
    Ok(ours)
}

/// Makes the tables where there are none, and otherwise looks whether they are ours, and whole.
fn first_look(connection: &mut Connection) -> rusqlite::Result<Ours> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables: u32 = change.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        change.execute_batch(SCHEMA)?;
        change.pragma_update(None, "application_id", APPLICATION_ID)?;
        change.pragma_update(None, "user_version", FORMAT)?;
        change.commit()?;
        return Ok(Ours::Yes);
    }
    let id: u32 = change.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: u32 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if id != APPLICATION_ID {
        return Ok(Ours::No("it is a SQLite file of another program".to_owned()));
    }
    if format > FORMAT {
        return Ok(Ours::Newer(format));
    }
    let verdict: String = change.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    Ok(if verdict == "ok" { Ours::Yes } else { Ours::No(verdict) })
}

fn explain(path: &Path, error: &rusqlite::Error) -> OpenError {
    let (path, cause) = (path.to_owned(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => OpenError::Foreign { path, cause },
        _ => OpenError::System { path, cause },
    }
}
