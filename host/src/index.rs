//! Documents that layers search by words: BM25 over a full-text index, in one embedded file.
//!
//! A document belongs to a collection of one layer, of a session or of the layer as a whole. Each layer has a table of
//! words of its own, so that no score tells what other layers keep. Words of a query are words and nothing else: there is
//! no syntax. How text becomes words is said in [`terms`].
//!
//! Everything here blocks; async callers use a thread for it.

mod document;
mod error;
mod filter;
mod open;
mod search;
mod terms;
mod write;

use std::path::PathBuf;

use parking_lot::Mutex;
use rusqlite::Connection;

use crate::services::StatePlace;

pub use document::{Document, Hit};
pub use error::{IndexError, OpenError};
pub use filter::Filter;
pub use search::HITS_MAX;

/// The index of an agent's layers.
#[derive(Debug, Default)]
pub struct Index {
    /// Absent for an index in memory.
    path: Option<PathBuf>,
    /// Absent until it is used for the first time.
    connection: Mutex<Option<Connection>>,
}

/// Where documents belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    /// Whose they are, and how long they last.
    pub place: StatePlace,
    /// The layer's own name for them.
    pub name: String,
}

impl Index {
    /// An index that lasts as long as this value.
    pub fn memory() -> Self {
        Self::default()
    }

    /// An index in a file. Where there is none, it is made when it is used for the first time, for its owner alone.
    ///
    /// # Errors
    /// When the file is another program's, damaged, of a later format, or the system refuses; then it is not touched.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, OpenError> {
        let path = path.into();
        let connection = if path.exists() { Some(open::file(&path)?) } else { None };
        Ok(Self { path: Some(path), connection: Mutex::new(connection) })
    }

    /// The same, but the file is not looked at before it is used for the first time.
    pub fn unopened(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), connection: Mutex::default() }
    }

    /// Adds documents, or puts them in the place of those with their ids; all or none. With them the layer may have
    /// `quota` bytes of documents in all its collections.
    ///
    /// # Errors
    /// When a document can't be kept or is too large, or the quota is reached; besides as for [`Index::get`].
    pub fn put(&self, collection: &Collection, documents: &[Document], quota: u64) -> Result<(), IndexError> {
        collection.check()?;
        documents.iter().try_for_each(Document::check)?;
        self.changed(|change| write::put(change, collection, documents, quota))
    }

    /// A document by its id.
    ///
    /// # Errors
    /// When the collection's name is too long, or the file can't be read or written.
    pub fn get(&self, collection: &Collection, id: &str) -> Result<Option<Document>, IndexError> {
        collection.check()?;
        self.with(|connection| search::get(connection, collection, id))
    }

    /// Removes documents, and says how many of them there were.
    ///
    /// # Errors
    /// When the collection's name is too long, or the file can't be read or written.
    pub fn remove(&self, collection: &Collection, ids: &[String]) -> Result<u32, IndexError> {
        collection.check()?;
        self.changed(|change| write::remove(change, collection, ids))
    }

    /// Removes all documents of a collection, and says how many there were.
    ///
    /// # Errors
    /// When the collection's name is too long, or the file can't be read or written.
    pub fn clear(&self, collection: &Collection) -> Result<u32, IndexError> {
        collection.check()?;
        self.changed(|change| write::clear(change, collection))
    }

    /// The documents with any word of the query that pass the filter, the best first; at most [`HITS_MAX`].
    ///
    /// # Errors
    /// When those to give have more than `max` bytes; besides as for [`Index::get`].
    pub fn search(
        &self,
        collection: &Collection,
        query: &str,
        filter: &Filter,
        limit: u32,
        max: u64,
    ) -> Result<Vec<Hit>, IndexError> {
        collection.check()?;
        let Some(words) = terms::expression(query) else { return Ok(Vec::new()) };
        self.with(|connection| search::search(connection, collection, &words, filter, limit, max))
    }

    /// How many documents a collection has.
    ///
    /// # Errors
    /// When the collection's name is too long, or the file can't be read or written.
    pub fn count(&self, collection: &Collection) -> Result<u32, IndexError> {
        collection.check()?;
        self.with(|connection| search::count(connection, collection))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, IndexError>) -> Result<T, IndexError> {
        // What a panic left half done was rolled back with its transaction.
        let mut place = self.connection.lock();
        let connection = match &mut *place {
            Some(connection) => connection,
            None => place.insert(match &self.path {
                Some(path) => open::file(path)?,
                None => open::memory()?,
            }),
        };
        work(connection)
    }

    /// Changes all or nothing.
    fn changed<T>(
        &self,
        change: impl FnOnce(&rusqlite::Transaction<'_>) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        self.with(|connection| {
            // Taking the lock at once means that what is read inside can't be changed by another process.
            let behavior = rusqlite::TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }
}
