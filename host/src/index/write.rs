//! Changing what is in the index. Each function runs inside a transaction.

use rusqlite::{Connection, OptionalExtension, params};

use super::Collection;
use super::document::{Document, counted_bytes};
use super::error::IndexError;
use super::open::{words_schema, words_table};
use super::search::{Keys, find};
use super::terms::indexed;

pub(super) fn put(
    change: &Connection,
    collection: &Collection,
    documents: &[Document],
    quota: u64,
) -> Result<(), IndexError> {
    if documents.is_empty() {
        return Ok(());
    }
    let keys = find_or_make(change, collection)?;
    let before = held(change, keys)?;
    let mut bytes = before;
    for document in documents {
        bytes -= remove_one(change, keys, &document.id)?.unwrap_or(0);
        bytes += add(change, keys, document)?;
    }
    // A quota may have been lowered: what does not grow passes.
    let used = u64::try_from(bytes).unwrap_or(0);
    if bytes > before && used > quota {
        return Err(IndexError::Limit { limit: "index", allowed: quota, used });
    }
    hold(change, keys, bytes)
}

pub(super) fn remove(
    change: &Connection,
    collection: &Collection,
    ids: &[String],
) -> Result<u32, IndexError> {
    let Some(keys) = find(change, collection)? else { return Ok(0) };
    let (mut bytes, mut removed) = (held(change, keys)?, 0);
    for id in ids {
        if let Some(freed) = remove_one(change, keys, id)? {
            bytes -= freed;
            removed += 1;
        }
    }
    hold(change, keys, bytes)?;
    forget_if_empty(change, keys)?;
    Ok(removed)
}

pub(super) fn clear(change: &Connection, collection: &Collection) -> Result<u32, IndexError> {
    let Some(keys) = find(change, collection)? else { return Ok(0) };
    let words = words_table(keys.layer);
    change.execute(
        &format!("DELETE FROM {words} WHERE rowid IN (SELECT key FROM document WHERE collection = ?1)"),
        [keys.collection],
    )?;
    let freed: i64 = change.query_row(
        "SELECT coalesce(sum(bytes), 0) FROM document WHERE collection = ?1",
        [keys.collection],
        |row| row.get(0),
    )?;
    let removed = change.execute("DELETE FROM document WHERE collection = ?1", [keys.collection])?;
    hold(change, keys, held(change, keys)? - freed)?;
    forget_if_empty(change, keys)?;
    Ok(u32::try_from(removed).unwrap_or(u32::MAX))
}

fn find_or_make(change: &Connection, collection: &Collection) -> Result<Keys, IndexError> {
    let place = &collection.place;
    let known: Option<i64> = change
        .prepare_cached("SELECT key FROM layer WHERE name = ?1")?
        .query_row([&place.layer], |row| row.get(0))
        .optional()?;
    let layer = match known {
        Some(layer) => layer,
        None => {
            change.execute("INSERT INTO layer (name, bytes) VALUES (?1, 0)", [&place.layer])?;
            let layer = change.last_insert_rowid();
            change.execute_batch(&words_schema(layer))?;
            layer
        }
    };
    if let Some(keys) = find(change, collection)? {
        return Ok(keys);
    }
    change.execute(
        "INSERT INTO collection (layer, scope, owner, name) VALUES (?1, ?2, ?3, ?4)",
        params![layer, place.scope.name(), place.owner, collection.name],
    )?;
    Ok(Keys { layer, collection: change.last_insert_rowid() })
}

/// Adds a document that is not there, and says what it counts.
fn add(change: &Connection, keys: Keys, document: &Document) -> Result<i64, IndexError> {
    let metadata = document.metadata_json();
    let bytes = counted_bytes(&document.id, &document.text, &metadata);
    change
        .prepare_cached(
            "INSERT INTO document (collection, id, metadata, bytes, text) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![keys.collection, document.id, metadata, bytes, document.text])?;
    let words = words_table(keys.layer);
    change
        .prepare_cached(&format!("INSERT INTO {words} (rowid, collection, words) VALUES (?1, ?2, ?3)"))?
        .execute(params![change.last_insert_rowid(), keys.collection_word(), indexed(&document.text)])?;
    Ok(bytes)
}

/// Removes a document, and says what it counted, if it was there.
fn remove_one(change: &Connection, keys: Keys, id: &str) -> Result<Option<i64>, IndexError> {
    let found: Option<(i64, i64)> = change
        .prepare_cached("SELECT key, bytes FROM document WHERE collection = ?1 AND id = ?2")?
        .query_row(params![keys.collection, id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((key, bytes)) = found else { return Ok(None) };
    let words = words_table(keys.layer);
    change.prepare_cached(&format!("DELETE FROM {words} WHERE rowid = ?1"))?.execute([key])?;
    change.prepare_cached("DELETE FROM document WHERE key = ?1")?.execute([key])?;
    Ok(Some(bytes))
}

/// What the layer's documents count.
fn held(change: &Connection, keys: Keys) -> Result<i64, IndexError> {
    Ok(change
        .prepare_cached("SELECT bytes FROM layer WHERE key = ?1")?
        .query_row([keys.layer], |row| row.get(0))?)
}

fn hold(change: &Connection, keys: Keys, bytes: i64) -> Result<(), IndexError> {
    change
        .prepare_cached("UPDATE layer SET bytes = ?2 WHERE key = ?1")?
        .execute(params![keys.layer, bytes])?;
    Ok(())
}

/// A name without documents would be kept for nothing, and there is no bound on names.
fn forget_if_empty(change: &Connection, keys: Keys) -> Result<(), IndexError> {
    change.execute(
        "DELETE FROM collection WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM document WHERE collection = ?1)",
        [keys.collection],
    )?;
    Ok(())
}
