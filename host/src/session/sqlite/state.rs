//! The state of layers, in the same file.

mod sizes;

use std::sync::Arc;

use futures::future::BoxFuture;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Error;
use crate::services::{StatePlace, StateStore};
use crate::state::{add_number, entry_bytes, within_quota};

use super::super::StoreError;
use super::open::SessionFile;
use super::worker::Worker;

pub(super) use sizes::Sizes;

/// The state of layers in a session file.
#[derive(Debug)]
pub(super) struct SqliteState {
    pub(super) worker: Arc<Worker>,
}

impl SqliteState {
    /// Reads from a place.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        Ok(self.worker.run(move |file| file.run(read)).await?)
    }

    /// Changes a place, all or nothing.
    async fn change<T: Send + 'static>(
        &self,
        place: StatePlace,
        change: impl FnOnce(&mut Place<'_>) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Error> {
        self.worker.run(move |file| change_place(file, &place, change)).await?
    }
}

/// A place inside the transaction that changes it.
struct Place<'a> {
    connection: &'a Connection,
    place: &'a StatePlace,
    /// The bytes it holds.
    held: &'a mut u64,
}

/// Why a place was not changed.
enum Refused {
    Sqlite(rusqlite::Error),
    Error(Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

fn change_place<T>(
    file: &mut SessionFile,
    place: &StatePlace,
    change: impl FnOnce(&mut Place<'_>) -> Result<T, Refused>,
) -> Result<Result<T, Error>, StoreError> {
    // Taken out: a transaction that fails leaves nothing behind that could be wrong.
    let mut sizes = std::mem::take(&mut file.sizes);
    let changed = file.transaction(|connection| {
        let held = sizes.held(connection, place)?;
        match change(&mut Place { connection, place, held }) {
            Ok(value) => Ok(Ok(value)),
            Err(Refused::Error(error)) => Ok(Err(error)),
            Err(Refused::Sqlite(error)) => Err(error.into()),
        }
    })?;
    file.sizes = sizes;
    Ok(changed)
}

impl Place<'_> {
    fn get(&self, key: &str) -> rusqlite::Result<Option<String>> {
        get(self.connection, self.place, key)
    }

    fn set(&mut self, key: &str, value: &str, quota: u64) -> Result<(), Refused> {
        let now = within_quota(quota, *self.held, self.size_of(key)?, entry_bytes(key, value))?;
        set(self.connection, self.place, key, value)?;
        *self.held = now;
        Ok(())
    }

    fn delete(&mut self, key: &str) -> rusqlite::Result<bool> {
        let before = self.size_of(key)?;
        let deleted = delete(self.connection, self.place, key)?;
        *self.held = self.held.saturating_sub(before);
        Ok(deleted)
    }

    /// What an entry counts; nothing if it is not there.
    fn size_of(&self, key: &str) -> rusqlite::Result<u64> {
        Ok(self.get(key)?.map_or(0, |value| entry_bytes(key, &value)))
    }
}

impl StateStore for SqliteState {
    fn get(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<Option<String>, Error>> {
        Box::pin(self.read(move |connection| get(connection, &place, &key)))
    }

    fn set(
        &self,
        place: StatePlace,
        key: String,
        value: String,
        quota: u64,
    ) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(self.change(place, move |place| place.set(&key, &value, quota)))
    }

    fn delete(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(self.change(place, move |place| Ok(place.delete(&key)?)))
    }

    fn keys(&self, place: StatePlace, prefix: String) -> BoxFuture<'_, Result<Vec<String>, Error>> {
        Box::pin(self.read(move |connection| keys(connection, &place, &prefix)))
    }

    fn compare_and_set(
        &self,
        place: StatePlace,
        key: String,
        expected: Option<String>,
        value: Option<String>,
        quota: u64,
    ) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(self.change(place, move |place| {
            let holds = place.get(&key)? == expected;
            match value {
                Some(value) if holds => place.set(&key, &value, quota)?,
                None if holds => drop(place.delete(&key)?),
                _ => {}
            }
            Ok(holds)
        }))
    }

    fn increment(
        &self,
        place: StatePlace,
        key: String,
        delta: f64,
        quota: u64,
    ) -> BoxFuture<'_, Result<f64, Error>> {
        Box::pin(self.change(place, move |place| {
            let sum = add_number(place.get(&key)?.as_deref(), delta)?;
            place.set(&key, &sum.to_string(), quota)?;
            Ok(sum)
        }))
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
