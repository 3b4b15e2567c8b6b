//! The agent's tools: who brings each, how it is run, and whether arguments fit it.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::message::ToolDefinition;
use crate::tool::{Tool, ToolOwner};

use super::error::ToolError;

/// At most this many faults of one call are told to the model: it needs a lead, not a list.
const FAULTS_TOLD: usize = 5;

/// How a tool is run.
#[derive(Clone)]
pub(super) enum Runner {
    /// By the host.
    Tool(Arc<dyn Tool>),
    /// By the layer of this name.
    Layer(String),
}

/// One tool.
pub(super) struct Entry {
    pub(super) definition: ToolDefinition,
    pub(super) runner: Runner,
    owner: ToolOwner,
    schema: jsonschema::Validator,
}

impl Entry {
    /// Whether a program outside runs it.
    pub(super) fn external(&self) -> bool {
        match &self.runner {
            Runner::Tool(tool) => tool.external(),
            Runner::Layer(_) => false,
        }
    }

    /// The arguments as an object that fits the tool's schema, or what is wrong with them, for the model.
    pub(super) fn read(&self, arguments: &str, cut: bool) -> Result<Map<String, Value>, String> {
        let name = &self.definition.name;
        // Several models write nothing where a tool takes no arguments.
        let text = if arguments.trim().is_empty() && !cut { "{}" } else { arguments };
        let value = serde_json::from_str::<Value>(text).map_err(|error| {
            if cut {
                format!(
                    "the arguments of `{name}` were cut off at the output limit, so it did not run: {error}"
                )
            } else {
                format!("the arguments of `{name}` are not valid JSON, so it did not run: {error}")
            }
        })?;
        let faults: Vec<String> =
            self.schema.iter_errors(&value).take(FAULTS_TOLD).map(|fault| at_path(&fault)).collect();
        if !faults.is_empty() {
            let faults = faults.join("; ");
            return Err(format!(
                "the arguments of `{name}` do not fit its schema, so it did not run: {faults}"
            ));
        }
        match value {
            Value::Object(arguments) => Ok(arguments),
            _ => Err(format!("the arguments of `{name}` are no JSON object, so it did not run")),
        }
    }
}

/// What is wrong, with the place.
pub(super) fn at_path(fault: &jsonschema::ValidationError<'_>) -> String {
    let path = fault.instance_path().to_string();
    if path.is_empty() { fault.to_string() } else { format!("at `{path}`: {fault}") }
}

/// All tools of an agent.
#[derive(Default)]
pub(super) struct Catalogue {
    entries: HashMap<String, Entry>,
    definitions: Arc<Vec<ToolDefinition>>,
}

impl Catalogue {
    /// Adds a tool.
    pub(super) fn add(
        &mut self,
        owner: ToolOwner,
        definition: ToolDefinition,
        runner: Runner,
    ) -> Result<(), ToolError> {
        if let Some(known) = self.entries.get(&definition.name) {
            return Err(ToolError::Clash {
                name: definition.name,
                first: known.owner.to_string(),
                second: owner.to_string(),
            });
        }
        let schema =
            jsonschema::validator_for(&definition.parameters).map_err(|error| ToolError::Schema {
                name: definition.name.clone(),
                owner: owner.to_string(),
                cause: error.to_string(),
            })?;
        Arc::make_mut(&mut self.definitions).push(definition.clone());
        self.entries.insert(definition.name.clone(), Entry { definition, runner, owner, schema });
        Ok(())
    }

    /// A tool by its name.
    pub(super) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// Every tool, in the order in which they were added.
    pub(super) fn definitions(&self) -> &Arc<Vec<ToolDefinition>> {
        &self.definitions
    }
}
