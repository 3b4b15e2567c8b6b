//! How much room JSON takes in the host once it is parsed: many times its text, when that is nothing but short values.

use serde_json::{Map, Value};

/// Bytes of one value with its share of the list or object around it, at most. A list of one value makes room for four,
/// and an object of one for three with their names; larger ones have twice the room they need at most.
const VALUE_BYTES: u64 = 400;

/// Bytes of an entry of an object: its name, its value, and its place in the order and in the table.
const ENTRY_BYTES: u64 = size_of::<(String, Value)>() as u64 + 16;

const _: () = assert!(4 * (size_of::<Value>() as u64) < VALUE_BYTES, "a list of one value takes more");
const _: () = assert!(3 * ENTRY_BYTES < VALUE_BYTES, "an object of one value takes more");

/// The bytes that a JSON text takes at most once it is parsed, its strings excluded. Known before it is parsed, so that
/// nothing needs to be taken first; a text that is no JSON has a size as well.
pub(super) fn parsed_size(text: &str) -> u64 {
    values(text.as_bytes()) * VALUE_BYTES
}

/// How many values there are at most: one at the begin, one behind each comma, and one in each list and object.
fn values(text: &[u8]) -> u64 {
    let mut count = u64::from(!text.is_empty());
    let (mut quoted, mut escaped) = (false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b',' | b'[' | b'{' if !quoted => count += 1,
            _ => {}
        }
    }
    count
}

/// The bytes that a copy of a value takes beside its own place.
pub(super) fn value_size(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len() as u64,
        Value::Array(items) => {
            size_of_val(items.as_slice()) as u64 + items.iter().map(value_size).sum::<u64>()
        }
        Value::Object(object) => object_size(object),
    }
}

/// The same of an object.
pub(super) fn object_size(object: &Map<String, Value>) -> u64 {
    object.iter().map(|(name, value)| ENTRY_BYTES + name.len() as u64 + value_size(value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_missed_and_strings_have_none() {
        for (text, count) in [
            ("", 0),
            ("7", 1),
            ("[]", 2),
            ("[0,0,0]", 4),
            (r#"{"a":[1,{"b":2}],"c":{}}"#, 7),
            (r#""a,b[{""#, 1),
            (r#"["\",[",2]"#, 3),
            (r#"["\\",2]"#, 3),
        ] {
            assert_eq!(values(text.as_bytes()), count, "{text}");
        }
    }

    #[test]
    fn a_copy_takes_no_more_than_was_reckoned_with() {
        for text in ["[[],[],[]]", r#"{"a":{"b":{"c":0}},"d":[0,0,0,0]}"#, "[true]", "{}"] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert!(value_size(&value) <= parsed_size(text) + text.len() as u64, "{text}");
        }
    }
}
