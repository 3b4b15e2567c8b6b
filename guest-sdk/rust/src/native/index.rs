//! Documents, in memory. They are found by whole words, without the host's care for scripts and accents.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::Error;
use crate::rig::{Capability, World, granted};

pub use crate::bindings::cepa::middleware::index::{Document, Hit, Scope};

/// Documents that the host gives at once.
const HITS_MAX: usize = 100;

type Key = (Scope, String, String);

fn key(scope: Scope, collection: &str, id: &str) -> Key {
    (scope, collection.to_owned(), id.to_owned())
}

fn object(text: &str) -> Result<Map<String, Value>, Error> {
    if text.is_empty() { Ok(Map::new()) } else { Ok(serde_json::from_str(text)?) }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// How many words of the text are among those of the query.
fn score(query: &[String], text: &str) -> u32 {
    let matching = words(text).into_iter().filter(|word| query.contains(word)).count();
    u32::try_from(matching).unwrap_or(u32::MAX)
}

fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64()?.partial_cmp(&other.as_f64()?),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

fn value_passes(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Array(items), _) => items.iter().any(|item| value_passes(item, wanted)),
        (_, Value::Array(values)) => values.iter().any(|wanted| value_passes(value, wanted)),
        (_, Value::Object(bounds)) => {
            let within = |key: &str, wrong: Ordering| {
                bounds.get(key).is_none_or(|bound| compare(value, bound).is_some_and(|order| order != wrong))
            };
            within("from", Ordering::Less) && within("to", Ordering::Greater)
        }
        _ => compare(value, wanted) == Some(Ordering::Equal),
    }
}

fn passes(filter: &Map<String, Value>, document: &Document) -> bool {
    let metadata = object(&document.metadata).unwrap_or_default();
    filter.iter().all(|(key, wanted)| metadata.get(key).is_some_and(|value| value_passes(value, wanted)))
}

fn of<'w>(world: &'w World, scope: Scope, collection: &'w str) -> impl Iterator<Item = &'w Document> {
    let documents = world.documents.iter();
    documents
        .filter(move |((of, name, _), _)| *of == scope && name == collection)
        .map(|(_, document)| document)
}

/// Adds or replaces documents.
pub fn put(scope: Scope, collection: &str, documents: &[Document]) -> Result<(), Error> {
    granted(Capability::Index, |world| {
        documents.iter().try_for_each(|document| object(&document.metadata).map(drop))?;
        for document in documents {
            world.documents.insert(key(scope, collection, &document.id), document.clone());
        }
        Ok(())
    })?
}

/// A document by its id.
pub fn get(scope: Scope, collection: &str, id: &str) -> Result<Option<Document>, Error> {
    granted(Capability::Index, |world| world.documents.get(&key(scope, collection, id)).cloned())
}

/// Removes documents, and says how many of them there were.
pub fn remove(scope: Scope, collection: &str, ids: &[String]) -> Result<u32, Error> {
    granted(Capability::Index, |world| {
        let removed = ids.iter().filter(|id| world.documents.remove(&key(scope, collection, id)).is_some());
        u32::try_from(removed.count()).unwrap_or(u32::MAX)
    })
}

/// Removes all documents of a collection, and says how many there were.
pub fn clear(scope: Scope, collection: &str) -> Result<u32, Error> {
    let before = count(scope, collection)?;
    granted(Capability::Index, |world| {
        world.documents.retain(|(of, name, _), _| *of != scope || name != collection);
        before
    })
}

/// The documents with any word of the query, those with most of them first.
pub fn search(
    scope: Scope,
    collection: &str,
    query: &str,
    filter: Option<&str>,
    limit: u32,
) -> Result<Vec<Hit>, Error> {
    granted(Capability::Index, |world| {
        let (words, filter) = (words(query), object(filter.unwrap_or_default())?);
        let found = of(world, scope, collection)
            .map(|document| (score(&words, &document.text), document))
            .filter(|(score, document)| *score > 0 && passes(&filter, document));
        let mut hits: Vec<Hit> = found
            .map(|(score, document)| Hit { document: document.clone(), score: f64::from(score) })
            .collect();
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits.truncate(HITS_MAX.min(limit as usize));
        Ok(hits)
    })?
}

/// How many documents a collection has.
pub fn count(scope: Scope, collection: &str) -> Result<u32, Error> {
    granted(Capability::Index, |world| {
        u32::try_from(of(world, scope, collection).count()).unwrap_or(u32::MAX)
    })
}
