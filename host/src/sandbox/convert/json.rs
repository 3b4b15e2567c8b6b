//! JSON, which crosses as text.

use serde_json::{Map, Value};

use crate::error::Error;

/// A JSON value of a guest; `what` names it in the error.
pub(in crate::sandbox) fn json_from_guest(what: &str, text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|error| Error::invalid(format!("{what} is no JSON: {error}")))
}

/// A JSON object of a guest; an empty text counts as `{}`.
pub(super) fn object_from_guest(what: &str, text: &str) -> Result<Map<String, Value>, Error> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match json_from_guest(what, text)? {
        Value::Object(object) => Ok(object),
        _ => Err(Error::invalid(format!("{what} is no JSON object"))),
    }
}

pub(super) fn object_to_guest(object: Map<String, Value>) -> String {
    if object.is_empty() { String::new() } else { Value::Object(object).to_string() }
}
