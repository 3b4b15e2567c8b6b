//! Filters over metadata: a JSON object of what each key must have.
//!
//! `{"lang": "en"}` wants this value, `{"lang": ["en", "fr"]}` any of these, and `{"year": {"from": 1990, "to": 1999}}`
//! one within these bounds, both included, of which one may be absent. A key whose value is a list passes when one of
//! its items does; a key that is not there does not pass. Numbers are compared as numbers, texts by their bytes.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::document::is_scalar;
use super::error::IndexError;

/// What a document's metadata must have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter(Vec<(String, Wanted)>);

#[derive(Clone, Debug, PartialEq)]
enum Wanted {
    AnyOf(Vec<Value>),
    Within { from: Option<Value>, to: Option<Value> },
}

impl Filter {
    /// The filter that an object stands for.
    ///
    /// # Errors
    /// Which key can't be understood.
    pub fn parse(object: Map<String, Value>) -> Result<Self, IndexError> {
        let each = object.into_iter().map(|(key, value)| match wanted(value) {
            Some(wanted) => Ok((key, wanted)),
            None => Err(IndexError::Invalid(format!(
                "filter `{key}` can't be understood: a value, a list of values, or an object with `from` and `to` is wanted"
            ))),
        });
        each.collect::<Result<_, _>>().map(Self)
    }

    /// Whether metadata has what is wanted.
    pub fn passes(&self, metadata: &Map<String, Value>) -> bool {
        self.0.iter().all(|(key, wanted)| match metadata.get(key) {
            Some(Value::Array(items)) => items.iter().any(|item| wanted.passes(item)),
            Some(value) => wanted.passes(value),
            None => false,
        })
    }
}

fn wanted(value: Value) -> Option<Wanted> {
    match value {
        Value::Array(values) => values.iter().all(is_scalar).then_some(Wanted::AnyOf(values)),
        Value::Object(mut bounds) => {
            let (from, to) = (bounds.remove("from"), bounds.remove("to"));
            let both = [&from, &to];
            let usable = bounds.is_empty()
                && both.iter().any(|bound| bound.is_some())
                && both.into_iter().flatten().all(is_scalar);
            usable.then_some(Wanted::Within { from, to })
        }
        value => is_scalar(&value).then(|| Wanted::AnyOf(vec![value])),
    }
}

impl Wanted {
    fn passes(&self, value: &Value) -> bool {
        match self {
            Self::AnyOf(values) => {
                values.iter().any(|wanted| compare(value, wanted) == Some(Ordering::Equal))
            }
            Self::Within { from, to } => {
                let from = from.as_ref().is_none_or(|from| compare(value, from).is_some_and(Ordering::is_ge));
                from && to.as_ref().is_none_or(|to| compare(value, to).is_some_and(Ordering::is_le))
            }
        }
    }
}

/// The order of two values of one type.
fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64()?.partial_cmp(&other.as_f64()?),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        _ => None,
    }
}
