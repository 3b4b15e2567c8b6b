//! A value that fits a JSON Schema, as far as one can be found by looking at it.

use serde_json::{Map, Value, json};

/// How deep a schema is followed.
const DEPTH_MAX: u32 = 8;

/// A small value that should fit a schema.
pub(super) fn sample(schema: &Value) -> Value {
    of(schema, 0)
}

fn of(schema: &Value, depth: u32) -> Value {
    if depth > DEPTH_MAX {
        return Value::Null;
    }
    let given =
        [schema.get("const"), schema.get("default"), first(schema, "examples"), first(schema, "enum")];
    if let Some(value) = given.into_iter().flatten().next() {
        return value.clone();
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(choice) = first(schema, choice) {
            return of(choice, depth + 1);
        }
    }
    let kind = schema.get("type").and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
    match kind {
        Some("string") => json!("a text"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(true),
        Some("array") => list(schema, depth),
        Some("null") => Value::Null,
        _ => object(schema, depth),
    }
}

fn first<'a>(schema: &'a Value, key: &str) -> Option<&'a Value> {
    schema.get(key)?.as_array()?.first()
}

fn list(schema: &Value, depth: u32) -> Value {
    match schema.get("items") {
        Some(items) => json!([of(items, depth + 1)]),
        None => json!([]),
    }
}

fn object(schema: &Value, depth: u32) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    let fields = properties.map(|(name, schema)| (name.clone(), of(schema, depth + 1)));
    Value::Object(fields.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_fits_its_schema() {
        let schema = json!({
            "type": "object",
            "required": ["items", "count"],
            "properties": {
                "items": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "text": { "type": "string" }, "state": { "enum": ["open", "done"] } }
                }},
                "count": { "type": ["integer", "null"], "minimum": 3 },
                "on": { "type": "boolean" },
            },
        });
        let value = sample(&schema);
        assert!(jsonschema::is_valid(&schema, &value), "{value}");
        assert_eq!(value["items"][0]["state"], "open");
    }
}
