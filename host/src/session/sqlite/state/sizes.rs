//! How many bytes each place holds, so that no write has to add up all entries.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{Connection, params};

use crate::services::{Scope, StatePlace, reply_owner};
use crate::state::ENTRY_BYTES;

/// How many places are remembered. Each is small; adding one up again costs about a microsecond an entry.
const PLACES_MAX: usize = 1_024;

/// The sizes of the places that were written lately.
#[derive(Debug, Default)]
pub(in crate::session::sqlite) struct Sizes {
    /// Of the file, which changes when another process writes.
    version: i64,
    held: HashMap<StatePlace, u64>,
}

impl Sizes {
    /// The bytes of a place, to be kept in step by who changes it. Only inside a transaction that writes.
    pub(super) fn held(&mut self, connection: &Connection, place: &StatePlace) -> rusqlite::Result<&mut u64> {
        let version = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if version != self.version || self.held.len() >= PLACES_MAX {
            self.held.clear();
            self.version = version;
        }
        match self.held.entry(place.clone()) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => Ok(unknown.insert(add_up(connection, place)?)),
        }
    }

    /// What a session's replies kept may have gone.
    pub(in crate::session::sqlite) fn forget_replies(&mut self, session_id: &str) {
        let owners = reply_owner(session_id, "");
        self.held.retain(|place, _| place.scope != Scope::Reply || !place.owner.starts_with(&owners));
    }
}

fn add_up(connection: &Connection, place: &StatePlace) -> rusqlite::Result<u64> {
    let bytes: i64 = connection
        .prepare_cached(
            "SELECT coalesce(sum(octet_length(key) + octet_length(value) + ?4), 0) FROM state
             WHERE scope = ?1 AND owner = ?2 AND layer = ?3",
        )?
        .query_row(
            params![place.scope.name(), place.owner, place.layer, ENTRY_BYTES.cast_signed()],
            |row| row.get(0),
        )?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}
