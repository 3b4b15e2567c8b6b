//! JSON Schemas. To see that they are some, they are compiled, which takes many times as long as reading them and room
//! besides: so they are bounded, and those who compile them use a thread that may take its time.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::json::json_from_guest;
use crate::error::Error;

/// Bytes of one schema.
const SCHEMA_BYTES_MAX: usize = 64 << 10;

/// Bytes of all schemas that a guest gives at once.
const SCHEMAS_BYTES_MAX: usize = 1 << 20;

/// Regular expressions in all schemas that a guest gives at once.
const PATTERNS_MAX: usize = 256;

/// Bytes that one regular expression may take once it is compiled: a repetition of repetitions takes a thousand times
/// its text and more.
const PATTERN_BYTES_MAX: usize = 256 << 10;

/// A JSON Schema of a guest; `what` names it in the error.
pub(in crate::sandbox) fn schema_from_guest(what: &str, text: &str) -> Result<Value, Error> {
    compiled_schema(what, text).map(|(schema, _)| schema)
}

/// The same with what it was compiled to.
pub(in crate::sandbox) fn compiled_schema(what: &str, text: &str) -> Result<(Value, Validator), Error> {
    within("schema-bytes", SCHEMA_BYTES_MAX, text.len())?;
    let schema = json_from_guest(what, text)?;
    let validator = Schemas::default().compile(what, text, &schema)?;
    Ok((schema, validator))
}

/// The schemas that a guest gives at once, as far as they were compiled.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    bytes: usize,
    patterns: usize,
}

impl Schemas {
    /// Compiles one more; `text` is what it was parsed of.
    ///
    /// # Errors
    /// `limit` for what is too large, `invalid-input` for what is no schema.
    pub(super) fn compile(&mut self, what: &str, text: &str, schema: &Value) -> Result<Validator, Error> {
        if !schema.is_object() && !schema.is_boolean() {
            return Err(Error::invalid(format!("{what} is no JSON Schema: an object is wanted")));
        }
        self.bytes = self.bytes.saturating_add(text.len());
        self.patterns = self.patterns.saturating_add(patterns(schema));
        within("schema-bytes", SCHEMA_BYTES_MAX, text.len())?;
        within("schemas-bytes", SCHEMAS_BYTES_MAX, self.bytes)?;
        within("schema-patterns", PATTERNS_MAX, self.patterns)?;
        // The crate is built without its resolvers of `http:` and `file:`, so that a foreign schema reads nothing.
        jsonschema::options()
            .with_pattern_options(PatternOptions::fancy_regex().size_limit(PATTERN_BYTES_MAX))
            .build(schema)
            .map_err(|error| Error::invalid(format!("{what} is no JSON Schema: {error}")))
    }
}

fn within(limit: &str, allowed: usize, used: usize) -> Result<(), Error> {
    if used <= allowed { Ok(()) } else { Err(Error::limit(limit, allowed, used)) }
}

/// How many regular expressions there are at most.
fn patterns(schema: &Value) -> usize {
    match schema {
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| {
                let own = match (name.as_str(), value) {
                    ("pattern", Value::String(_)) => 1,
                    ("patternProperties", Value::Object(patterns)) => patterns.len(),
                    _ => 0,
                };
                own + patterns(value)
            })
            .sum(),
        Value::Array(items) => items.iter().map(patterns).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: &Value) -> String {
        schema_from_guest("it", &schema.to_string()).unwrap_err().message
    }

    #[test]
    fn a_schema_is_bounded_before_it_is_compiled() {
        let long = json!({ "description": "x".repeat(SCHEMA_BYTES_MAX) });
        assert!(refused(&long).starts_with("limit `schema-bytes` reached: "));
        let each = |n: usize| json!({ "pattern": format!("^{n}$") });
        let many = json!({ "anyOf": (0..=PATTERNS_MAX).map(each).collect::<Vec<_>>() });
        assert_eq!(refused(&many), "limit `schema-patterns` reached: 257 of 256 allowed");
        let named = json!({ "patternProperties": { "^a": {}, "^b": { "pattern": "c" } } });
        assert_eq!(patterns(&named), 3);
        assert!(refused(&json!({ "pattern": "b(a{200}){200}b" })).starts_with("it is no JSON Schema: "));
        assert_eq!(schema_from_guest("it", &named.to_string()).unwrap(), named);
    }

    #[test]
    fn all_schemas_that_are_given_at_once_count_together() {
        let schema = json!({ "description": "x".repeat(60_000) });
        let text = schema.to_string();
        let mut schemas = Schemas::default();
        let fits = SCHEMAS_BYTES_MAX / text.len();
        for _ in 0..fits {
            schemas.compile("it", &text, &schema).unwrap();
        }
        let refused = schemas.compile("it", &text, &schema).map(drop).unwrap_err();
        assert_eq!(refused.code, "schemas-bytes");
    }
}
