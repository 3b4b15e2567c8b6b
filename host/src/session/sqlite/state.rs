//! The state of layers, in the same file.

use std::sync::Arc;

use futures::future::BoxFuture;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Error;
use crate::services::{StatePlace, StateStore};
use crate::state::add_number;

use super::open::SessionFile;
use super::worker::Worker;

/// The state of layers in a session file.
#[derive(Debug)]
pub(super) struct SqliteState {
    pub(super) worker: Arc<Worker>,
}

impl StateStore for SqliteState {
    fn get(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<Option<String>, Error>> {
        Box::pin(async move {
            Ok(self.worker.run(move |file| file.run(|connection| get(connection, &place, &key))).await?)
        })
    }

    fn set(&self, place: StatePlace, key: String, value: String) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            let set = move |file: &mut SessionFile| {
                file.transaction(|change| Ok(set(change, &place, &key, &value)?))
            };
            Ok(self.worker.run(set).await?)
        })
    }

    fn delete(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(async move {
            let delete =
                move |file: &mut SessionFile| file.transaction(|change| Ok(delete(change, &place, &key)?));
            Ok(self.worker.run(delete).await?)
        })
    }

    fn keys(&self, place: StatePlace, prefix: String) -> BoxFuture<'_, Result<Vec<String>, Error>> {
        Box::pin(async move {
            Ok(self.worker.run(move |file| file.run(|connection| keys(connection, &place, &prefix))).await?)
        })
    }

    fn compare_and_set(
        &self,
        place: StatePlace,
        key: String,
        expected: Option<String>,
        value: Option<String>,
    ) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(async move {
            let swap = move |file: &mut SessionFile| {
                file.transaction(|change| {
                    let holds = get(change, &place, &key)? == expected;
                    match value {
                        Some(value) if holds => set(change, &place, &key, &value)?,
                        None if holds => drop(delete(change, &place, &key)?),
                        _ => {}
                    }
                    Ok(holds)
                })
            };
            Ok(self.worker.run(swap).await?)
        })
    }

    fn increment(&self, place: StatePlace, key: String, delta: f64) -> BoxFuture<'_, Result<f64, Error>> {
        Box::pin(async move {
            let add = move |file: &mut SessionFile| {
                file.transaction(|change| {
                    let sum = add_number(get(change, &place, &key)?.as_deref(), delta);
                    if let Ok(sum) = &sum {
                        set(change, &place, &key, &sum.to_string())?;
                    }
                    Ok(sum)
                })
            };
            self.worker.run(add).await?
        })
    }
}

fn get(connection: &Connection, place: &StatePlace, key: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached(
            "SELECT value FROM state WHERE scope = ?1 AND owner = ?2 AND layer = ?3 AND key = ?4",
        )?
        .query_row(params![place.scope.name(), place.owner, place.layer, key], |row| row.get(0))
        .optional()
}

fn set(connection: &Connection, place: &StatePlace, key: &str, value: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO state (scope, owner, layer, key, value) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (scope, owner, layer, key) DO UPDATE SET value = excluded.value",
        )?
        .execute(params![place.scope.name(), place.owner, place.layer, key, value])
        .map(drop)
}

fn delete(connection: &Connection, place: &StatePlace, key: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("DELETE FROM state WHERE scope = ?1 AND owner = ?2 AND layer = ?3 AND key = ?4")?
        .execute(params![place.scope.name(), place.owner, place.layer, key])
        .map(|deleted| deleted > 0)
}

/// SQLite orders text by its bytes, as Rust does: keys with a prefix are neighbours.
fn keys(connection: &Connection, place: &StatePlace, prefix: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = connection.prepare_cached(
        "SELECT key FROM state WHERE scope = ?1 AND owner = ?2 AND layer = ?3 AND key >= ?4 ORDER BY key",
    )?;
    let mut rows = query.query(params![place.scope.name(), place.owner, place.layer, prefix])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        let key: String = row.get(0)?;
        if !key.starts_with(prefix) {
            break;
        }
        keys.push(key);
    }
    Ok(keys)
}
