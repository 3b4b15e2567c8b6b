//! Documents, and how large they may be.

use serde_json::{Map, Value};

use super::Collection;
use super::error::IndexError;

/// Bytes of an id, and of a collection's name.
const NAME_BYTES_MAX: usize = 512;
/// Bytes of a text.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Bytes of the metadata as JSON.
const METADATA_BYTES_MAX: usize = 64 << 10;
/// What a document counts besides its texts, so that a million empty ones are not free.
const DOCUMENT_BYTES: usize = 64;

/// A text to be found, with what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Unique in its collection.
    pub id: String,
    /// What is searched.
    pub text: String,
    /// Texts, numbers, booleans and lists of them, for filters.
    pub metadata: Map<String, Value>,
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The document.
    pub document: Document,
    /// BM25: the greater the better, 0 at least.
    pub score: f64,
}

impl Document {
    /// The metadata as it is stored.
    pub(super) fn metadata_json(&self) -> String {
        Value::Object(self.metadata.clone()).to_string()
    }

    pub(super) fn check(&self) -> Result<(), IndexError> {
        within("index-id-bytes", NAME_BYTES_MAX, self.id.len())?;
        within("index-text-bytes", TEXT_BYTES_MAX, self.text.len())?;
        within("index-metadata-bytes", METADATA_BYTES_MAX, self.metadata_json().len())?;
        for (key, value) in &self.metadata {
            let usable = match value {
                Value::Array(items) => items.iter().all(is_scalar),
                value => is_scalar(value),
            };
            if !usable {
                return Err(IndexError::Invalid(format!(
                    "metadata `{key}` of document `{}` is neither text, number, boolean nor a list of these",
                    self.id
                )));
            }
        }
        Ok(())
    }
}

impl Collection {
    pub(super) fn check(&self) -> Result<(), IndexError> {
        within("index-collection-bytes", NAME_BYTES_MAX, self.name.len())
    }
}

/// What a document counts toward the quota, as SQLite counts.
pub(super) fn counted_bytes(id: &str, text: &str, metadata: &str) -> i64 {
    i64::try_from(DOCUMENT_BYTES + id.len() + text.len() + metadata.len()).unwrap_or(i64::MAX)
}

/// Whether a value can be compared.
pub(super) fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_))
}

fn within(limit: &'static str, allowed: usize, used: usize) -> Result<(), IndexError> {
    if used <= allowed {
        return Ok(());
    }
    Err(IndexError::Limit { limit, allowed: allowed as u64, used: used as u64 })
}
