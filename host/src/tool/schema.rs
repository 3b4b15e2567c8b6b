//! Whether the arguments that a model wrote are what a tool takes, and what to tell the model if not.

use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

/// How many faults a model is told at once.
const FAULTS: usize = 8;
/// The longest description of a fault that repeats the value in question.
const FAULT_BYTES: usize = 300;

/// The compiled parameters of a tool.
pub(super) struct ArgumentSchema(Validator);

impl ArgumentSchema {
    /// Compiles the parameters of a tool, and says what is wrong with them.
    pub(super) fn compile(parameters: &Value) -> Result<Self, String> {
        if !parameters.is_object() {
            return Err(format!("they are {}, not an object", kind(parameters)));
        }
        if let Some(other) = parameters.get("type").filter(|types| !names_object(types)) {
            return Err(format!("they take {other}, and a model gives an object"));
        }
        // The crate is built without its resolvers of `http:` and `file:`, so that a foreign schema reads nothing.
        jsonschema::validator_for(parameters).map(Self).map_err(|error| describe(&error))
    }

    /// Parses and checks arguments, and says what is wrong with them.
    pub(super) fn validate(&self, name: &str, arguments: &str) -> Result<Map<String, Value>, String> {
        let arguments = parse(arguments)
            .map_err(|cause| format!("the arguments of `{name}` are not a JSON object: {cause}"))?;
        let value = Value::Object(arguments);
        let mut faults: Vec<_> =
            self.0.iter_errors(&value).take(FAULTS + 1).map(|error| describe(&error)).collect();
        if faults.len() > FAULTS {
            faults.truncate(FAULTS);
            faults.push("and more".to_owned());
        }
        match value {
            Value::Object(arguments) if faults.is_empty() => Ok(arguments),
            _ => Err(format!("the arguments of `{name}` do not match its parameters: {}", faults.join("; "))),
        }
    }
}

/// Whether a schema's `type` has objects among what it takes.
fn names_object(types: &Value) -> bool {
    match types {
        Value::Array(types) => types.iter().any(|one| one == "object"),
        one => one == "object",
    }
}

fn parse(arguments: &str) -> Result<Map<String, Value>, String> {
    if arguments.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(arguments) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(other) => Err(format!("they are {}", kind(&other))),
        Err(error) => Err(error.to_string()),
    }
}

fn describe(error: &ValidationError<'_>) -> String {
    let mut what = error.to_string();
    if what.len() > FAULT_BYTES {
        what = error.masked_with("the value").to_string();
    }
    if what.len() > FAULT_BYTES {
        what.truncate(what.floor_char_boundary(FAULT_BYTES));
        what.push('…');
    }
    let place = error.instance_path().as_str();
    if place.is_empty() { what } else { format!("at `{place}`: {what}") }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
