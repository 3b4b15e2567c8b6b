//! The schema of a component's configuration.

use jsonschema::Validator;
use serde_json::Value;

use crate::policy::LayerSpec;
use crate::sandbox::convert::compiled_schema;
use crate::sandbox::load_error::LoadError;

/// A JSON Schema, compiled once for all layers of the component.
pub(super) struct ConfigSchema {
    pub(super) schema: Value,
    validator: Validator,
}

impl ConfigSchema {
    /// Reads what the component `name` says its schema is.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, LoadError> {
        let (schema, validator) = compiled_schema("it", text)
            .map_err(|error| LoadError::Schema { name: name.to_owned(), cause: error.message })?;
        Ok(Self { schema, validator })
    }

    /// Checks a layer's configuration, and says everything that does not fit.
    pub(super) fn check(&self, spec: &LayerSpec) -> Result<(), LoadError> {
        let problems: Vec<String> = self
            .validator
            .iter_errors(&spec.config)
            .map(|error| {
                let path = error.instance_path().to_string();
                if path.is_empty() { error.to_string() } else { format!("at `{path}`: {error}") }
            })
            .collect();
        if problems.is_empty() {
            return Ok(());
        }
        Err(LoadError::Config { layer: spec.name.clone(), cause: problems.join("; ") })
    }
}
