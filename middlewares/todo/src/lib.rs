//! Gives the model a list of what is to be done, and a tool to write it.
//!
//! The list lasts as long as the session, and each call replaces it whole.

mod config;
mod list;

#[cfg(test)]
mod tests;

use cepa_sdk::state::{self, Scope};
use cepa_sdk::{
    Error, Middleware, ResultPart, Sink, ToolDefinition, ToolRequest, ToolResponse, ToolSource, ToolState,
};
use serde::Deserialize;
use serde_json::json;

pub use config::Config;
pub use list::{Status, Todo, Todos};

/// The tool's name.
pub const TOOL: &str = "write_todos";
/// The key of the list in the scope `session`.
pub const TODOS: &str = "todos";

const DESCRIPTION: &str = "Writes the list of what is to be done, in place of the one before. Use it for work of \
     several steps: write the steps down first, and write the list again whenever one of them is begun or done.";

/// The middleware.
#[derive(Debug)]
pub struct TodoList(Config);

/// What the tool takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    todos: Todos,
}

impl TodoList {
    fn write(&self, arguments: &str) -> Result<ToolResponse, Error> {
        let arguments: Arguments = serde_json::from_str(arguments)
            .map_err(|cause| Error::invalid(format!("the arguments of `{TOOL}` do not fit: {cause}")))?;
        let todos = arguments.todos.checked(self.0.max_todos)?;
        state::set_json(Scope::Session, TODOS, &todos)?;
        Ok(ToolResponse::new(ToolState::Success, &[ResultPart::Text(todos.to_string())]))
    }
}

impl Middleware for TodoList {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        match config.max_todos {
            1..=1000 => Ok(Self(config)),
            other => Err(Error::invalid(format!("`max-todos` is {other}: from 1 to 1000 is possible"))),
        }
    }
}

impl ToolSource for TodoList {
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        let todo = json!({
            "type": "object",
            "properties": {
                "content": { "type": "string", "description": "What is to be done, in one line." },
                "status": { "enum": ["pending", "in_progress", "completed"] },
            },
            "required": ["content", "status"],
            "additionalProperties": false,
        });
        let parameters = json!({
            "type": "object",
            "properties": { "todos": { "type": "array", "items": todo, "maxItems": self.0.max_todos } },
            "required": ["todos"],
            "additionalProperties": false,
        });
        Ok(vec![ToolDefinition {
            name: TOOL.to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: parameters.to_string(),
            // The last call of a message holds, so the calls must keep their order.
            parallel: false,
            metadata: String::new(),
        }])
    }

    fn call_tool(&self, request: ToolRequest, _: Sink) -> Result<ToolResponse, Error> {
        self.write(&request.arguments())
    }
}

cepa_sdk::export!(TodoList: ToolSource);
