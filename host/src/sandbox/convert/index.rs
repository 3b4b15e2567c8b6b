//! Documents and filters.

use super::json::{object_from_guest, object_to_guest};
use crate::error::Error;
use crate::index::{Document, Filter, Hit};
use crate::sandbox::bindings::cepa::middleware::index as wit;

pub(in crate::sandbox) fn documents_from_guest(
    documents: Vec<wit::Document>,
) -> Result<Vec<Document>, Error> {
    let document = |document: wit::Document| {
        let metadata = object_from_guest("the metadata of a document", &document.metadata)?;
        Ok(Document { id: document.id, text: document.text, metadata })
    };
    documents.into_iter().map(document).collect()
}

pub(in crate::sandbox) fn document_to_guest(document: Document) -> wit::Document {
    let metadata = object_to_guest(document.metadata);
    wit::Document { id: document.id, text: document.text, metadata }
}

pub(in crate::sandbox) fn hit_to_guest(hit: Hit) -> wit::Hit {
    wit::Hit { document: document_to_guest(hit.document), score: hit.score }
}

/// A filter; without one everything passes.
pub(in crate::sandbox) fn filter_from_guest(filter: Option<&str>) -> Result<Filter, Error> {
    match filter {
        Some(filter) => Ok(Filter::parse(object_from_guest("the filter", filter)?)?),
        None => Ok(Filter::default()),
    }
}
