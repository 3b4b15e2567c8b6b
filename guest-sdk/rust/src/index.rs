//! Documents found by their words: the contract's `index`, and typed metadata on top of it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
pub use crate::backend::index::{Document, Hit, Scope, clear, count, get, put, remove, search};

impl Document {
    /// A document without metadata.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), metadata: String::new() }
    }

    /// The same with this metadata, written as JSON.
    ///
    /// # Errors
    /// When it can't be written as JSON.
    pub fn with_metadata<T: Serialize>(mut self, metadata: &T) -> Result<Self, Error> {
        self.metadata = serde_json::to_string(metadata)?;
        Ok(self)
    }

    /// Its metadata, read as JSON.
    ///
    /// # Errors
    /// `invalid-input` when it does not fit `T`.
    pub fn read_metadata<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = if self.metadata.is_empty() { "{}" } else { &self.metadata };
        serde_json::from_str(text).map_err(|cause| {
            Error::invalid(format!("the metadata of document `{}` does not fit: {cause}", self.id))
        })
    }
}
