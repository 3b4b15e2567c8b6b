//! Finding documents.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::Collection;
use super::document::{Document, Hit};
use super::error::IndexError;
use super::filter::Filter;
use super::open::words_table;

/// Documents that one search gives at most.
pub const HITS_MAX: u32 = 100;

/// A collection in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    pub(super) layer: i64,
    pub(super) collection: i64,
}

impl Keys {
    /// The word that marks the collection's documents among the layer's.
    pub(super) fn collection_word(self) -> String {
        format!("c{}", self.collection)
    }
}

pub(super) fn find(connection: &Connection, collection: &Collection) -> Result<Option<Keys>, IndexError> {
    let place = &collection.place;
    let found = connection
        .prepare_cached(
            "SELECT layer.key, collection.key FROM collection JOIN layer ON layer.key = collection.layer
             WHERE layer.name = ?1 AND scope = ?2 AND owner = ?3 AND collection.name = ?4",
        )?
        .query_row(params![place.layer, place.scope.name(), place.owner, collection.name], |row| {
            Ok(Keys { layer: row.get(0)?, collection: row.get(1)? })
        })
        .optional()?;
    Ok(found)
}

pub(super) fn get(
    connection: &Connection,
    collection: &Collection,
    id: &str,
) -> Result<Option<Document>, IndexError> {
    let Some(keys) = find(connection, collection)? else { return Ok(None) };
    let found = connection
        .prepare_cached("SELECT id, metadata, text FROM document WHERE collection = ?1 AND id = ?2")?
        .query_row(params![keys.collection, id], document)
        .optional()?;
    Ok(found)
}

pub(super) fn count(connection: &Connection, collection: &Collection) -> Result<u32, IndexError> {
    let Some(keys) = find(connection, collection)? else { return Ok(0) };
    Ok(connection
        .prepare_cached("SELECT count(*) FROM document WHERE collection = ?1")?
        .query_row([keys.collection], |row| row.get(0))?)
}

/// The best documents with any of these words, an expression of quoted ones.
pub(super) fn search(
    connection: &Connection,
    collection: &Collection,
    words: &str,
    filter: &Filter,
    limit: u32,
    max: u64,
) -> Result<Vec<Hit>, IndexError> {
    let limit = limit.min(HITS_MAX) as usize;
    let Some(keys) = find(connection, collection)? else { return Ok(Vec::new()) };
    let table = words_table(keys.layer);
    // The word of the collection finds its documents, and counts nothing in the score.
    let expression = format!("collection : \"{}\" AND words : ({words})", keys.collection_word());
    let mut ranking = connection.prepare_cached(&format!(
        "SELECT rowid, bm25({table}, 0.0, 1.0) AS rank_value FROM {table} WHERE {table} MATCH ?1
         ORDER BY rank_value, rowid"
    ))?;
    let mut look = connection.prepare_cached("SELECT id, metadata, text FROM document WHERE key = ?1")?;
    let mut rows = ranking.query([expression])?;
    let (mut hits, mut bytes) = (Vec::new(), 0_u64);
    while hits.len() < limit
        && let Some(row) = rows.next()?
    {
        let (key, rank): (i64, f64) = (row.get(0)?, row.get(1)?);
        let Some(document) = look.query_row([key], |row| passing(row, filter))? else { continue };
        bytes += (document.id.len() + document.text.len() + document.metadata_json().len()) as u64;
        if bytes > max {
            return Err(IndexError::Limit { limit: "payload", allowed: max, used: bytes });
        }
        hits.push(Hit { document, score: -rank });
    }
    Ok(hits)
}

fn document(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document { id: row.get(0)?, metadata: metadata(row)?, text: row.get(2)? })
}

/// The document of a row, if it passes. The text of one that does not is not read.
fn passing(row: &Row<'_>, filter: &Filter) -> rusqlite::Result<Option<Document>> {
    if filter.passes(&metadata(row)?) { document(row).map(Some) } else { Ok(None) }
}

/// Written by us, as an object. A row that somebody else changed has no metadata then.
fn metadata(row: &Row<'_>) -> rusqlite::Result<Map<String, Value>> {
    let text: String = row.get(1)?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}
