//! How the parameters of a request get into a provider's body.

use serde_json::{Map, Value};

use crate::error::Error;

/// Where a well-known parameter stands in a provider's body: its name here, and the path there.
pub(super) type WellKnown<'a> = &'a [(&'a str, &'a [&'a str])];

/// Writes the parameters into the body.
///
/// Well-known ones go to their place, others keep their name. A value of `null` takes the field out, so that a server
/// which does not know a field can be served.
///
/// # Errors
/// `invalid-input` for a parameter that would replace what the host itself sets.
pub(super) fn apply(
    body: &mut Map<String, Value>,
    parameters: &Map<String, Value>,
    well_known: WellKnown<'_>,
    reserved: &[&str],
) -> Result<(), Error> {
    for (name, value) in parameters {
        if reserved.contains(&name.as_str()) {
            return Err(Error::invalid(format!(
                "parameter `{name}` can't be set: it follows from the request"
            )));
        }
        let path = well_known.iter().find(|(known, _)| known == name).map(|(_, path)| *path);
        put(body, path.unwrap_or(&[name.as_str()]), value);
    }
    Ok(())
}

/// Puts a value at a path of objects, which are made where they lack.
pub(super) fn put(body: &mut Map<String, Value>, path: &[&str], value: &Value) {
    let [first, rest @ ..] = path else { return };
    if rest.is_empty() {
        if value.is_null() {
            body.shift_remove(*first);
        } else {
            body.insert((*first).to_owned(), value.clone());
        }
        return;
    }
    let inner = body.entry(*first).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        put(inner, rest, value);
    }
}
