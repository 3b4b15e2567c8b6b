//! Reading sessions.

use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row};
use serde::de::DeserializeOwned;

use crate::message::Usage;

use super::super::{SessionData, StoreError};
use super::open::SessionFile;

/// What is known of a session, and from which revision on this process knows it.
pub(super) fn load(file: &mut SessionFile, session_id: &str) -> Result<SessionData, StoreError> {
    let (data, revision) = file.run(|connection| {
        // One transaction, so that another process can't write between the tables.
        let snapshot = connection.unchecked_transaction()?;
        load_from(&snapshot, session_id)
    })?;
    file.seen.note(session_id, revision);
    Ok(data)
}

fn load_from(connection: &Connection, session_id: &str) -> rusqlite::Result<(SessionData, i64)> {
    let found = connection
        .prepare_cached("SELECT key, revision, reply FROM session WHERE id = ?1")?
        .query_row([session_id], |row| {
            let reply = if row.get_ref(2)? == ValueRef::Null { None } else { Some(json(row, 2)?) };
            Ok((row.get::<_, i64>(0)?, row.get(1)?, reply))
        })
        .optional()?;
    let Some((key, revision, reply)) = found else {
        return Ok((SessionData::default(), 0));
    };
    let data = SessionData {
        messages: all(
            connection,
            "SELECT json FROM message WHERE session = ?1 ORDER BY position",
            [key],
            |row| json(row, 0),
        )?,
        reply,
        open_calls: all(
            connection,
            "SELECT json FROM open_call WHERE session = ?1 ORDER BY key",
            [key],
            |row| json(row, 0),
        )?,
        usage: all(
            connection,
            "SELECT model, json, calls FROM usage WHERE session = ?1 ORDER BY key",
            [key],
            |row| Ok((row.get(0)?, json::<Usage>(row, 1)?, row.get::<_, i64>(2)?.unsigned_abs())),
        )?,
    };
    Ok((data, revision))
}

/// The ids of all sessions, the last used first.
pub(super) fn list(file: &SessionFile) -> Result<Vec<String>, StoreError> {
    file.run(|connection| all(connection, "SELECT id FROM session ORDER BY used DESC", [], |row| row.get(0)))
}

/// Every row of a query.
pub(super) fn all<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(parameters, read)?.collect()
}

/// A column that holds JSON.
pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}
