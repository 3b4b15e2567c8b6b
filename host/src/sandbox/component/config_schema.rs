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
        let misfits = self.misfits(&spec.config);
        if misfits.is_empty() {
            return Ok(());
        }
        Err(LoadError::Config { layer: spec.name.clone(), cause: misfits.join("; ") })
    }

    /// Everything in a configuration that does not fit, with its place.
    pub(super) fn misfits(&self, config: &Value) -> Vec<String> {
        let misfit = |error: jsonschema::ValidationError<'_>| {
            let path = error.instance_path().to_string();
            if path.is_empty() { error.to_string() } else { format!("at `{path}`: {error}") }
        };
        self.validator.iter_errors(config).map(misfit).collect()
    }
}
