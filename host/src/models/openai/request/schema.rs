//! How the wanted form of the answer is asked for.

use serde_json::{Value, json};

/// The `response_format` for a JSON Schema.
///
/// It is marked strict where the schema keeps the rules of that mode: the server then guarantees the form, and would
/// refuse any other schema. The caller checks the answer either way.
pub(super) fn response_format(schema: &Value) -> Value {
    json!({
        "type": "json_schema",
        "json_schema": { "name": "answer", "schema": schema, "strict": is_strict(schema) },
    })
}

/// Whether every object in the schema closes itself and requires all its properties.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => {
            let is_object = keywords.get("type").is_some_and(|kind| kind == "object");
            (!is_object || is_closed(schema)) && keywords.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

fn is_closed(schema: &Value) -> bool {
    let required: Vec<_> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && properties
            .is_some_and(|properties| properties.keys().all(|name| required.contains(&name.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_closed_schema_is_strict() {
        let closed = json!({
            "type": "object",
            "properties": { "a": { "type": "string" } },
            "required": ["a"],
            "additionalProperties": false,
        });
        let open = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        assert!(is_strict(&closed));
        assert!(!is_strict(&open));
        assert!(!is_strict(&json!({ "type": "array", "items": open })));
        assert!(is_strict(&json!({ "type": "array", "items": closed })));
    }
}
