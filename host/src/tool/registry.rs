//! All tools of an agent, whoever brings them.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::message::ToolDefinition;

use super::schema::ArgumentSchema;
use super::{Tool, ToolOwner};

/// The longest name that all providers take.
const NAME_BYTES: usize = 64;

/// The tools of an agent, each under a name of its own. A clone is cheap.
#[derive(Clone, Default)]
pub struct Toolbox {
    entries: Vec<Arc<Entry>>,
    catalogue: Arc<Vec<ToolDefinition>>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    owner: ToolOwner,
    schema: ArgumentSchema,
}

/// Why a tool can't be in the catalogue.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolboxError {
    /// Two tools have the same name.
    #[error("tool `{name}` is brought twice: by {first} and by {second}; rename or leave out one of them")]
    Clash {
        /// The name.
        name: String,
        /// Who brought it first.
        first: ToolOwner,
        /// Who brought it again.
        second: ToolOwner,
    },
    /// A name that model providers refuse.
    #[error(
        "tool `{name}` of {owner} has a name that model providers refuse: it must have 1 to {NAME_BYTES} of the \
         characters `A-Z a-z 0-9 _ -`"
    )]
    Name {
        /// The name.
        name: String,
        /// Who brought it.
        owner: ToolOwner,
    },
    /// The parameters are no usable JSON Schema.
    #[error("tool `{name}` of {owner} has parameters that are no usable JSON Schema: {cause}")]
    Schema {
        /// The name.
        name: String,
        /// Who brought it.
        owner: ToolOwner,
        /// What is wrong, and where in the schema.
        cause: String,
    },
}

impl Toolbox {
    /// Adds a tool at the end of the catalogue.
    ///
    /// The schema of its arguments is compiled here, once. What it refers to outside itself is never fetched.
    ///
    /// # Errors
    /// When the name is taken or unusable, or the parameters are no usable schema; the toolbox is then as before.
    pub fn add(&mut self, owner: ToolOwner, tool: Arc<dyn Tool>) -> Result<(), ToolboxError> {
        let definition = tool.definition().clone();
        let name = definition.name.clone();
        if let Some(first) = self.owner(&name) {
            return Err(ToolboxError::Clash { name, first: first.clone(), second: owner });
        }
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if name.is_empty() || name.len() > NAME_BYTES || !name.bytes().all(fits) {
            return Err(ToolboxError::Name { name, owner });
        }
        let schema = match ArgumentSchema::compile(&definition.parameters) {
            Ok(schema) => schema,
            Err(cause) => return Err(ToolboxError::Schema { name, owner, cause }),
        };
        self.entries.push(Arc::new(Entry { tool, owner, schema }));
        Arc::make_mut(&mut self.catalogue).push(definition);
        Ok(())
    }

    /// The definitions of all tools, in the order in which they were added.
    pub fn catalogue(&self) -> Arc<Vec<ToolDefinition>> {
        Arc::clone(&self.catalogue)
    }

    /// The tool with this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.entry(name).map(|entry| Arc::clone(&entry.tool))
    }

    /// Who brought the tool with this name.
    pub fn owner(&self, name: &str) -> Option<&ToolOwner> {
        self.entry(name).map(|entry| &entry.owner)
    }

    /// Reads the arguments that a model wrote for a tool. No text at all stands for no arguments.
    ///
    /// # Errors
    /// A text for the model: that there is no such tool, that the arguments are no JSON object, or where they differ from
    /// the tool's parameters and how.
    pub fn validate(&self, name: &str, arguments: &str) -> Result<Map<String, Value>, String> {
        let entry = self.entry(name).ok_or_else(|| format!("there is no tool `{name}`"))?;
        entry.schema.validate(name, arguments)
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.tool.definition().name == name).map(AsRef::as_ref)
    }
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools = self.entries.iter().map(|entry| (&entry.tool.definition().name, &entry.owner));
        f.debug_map().entries(tools).finish()
    }
}
