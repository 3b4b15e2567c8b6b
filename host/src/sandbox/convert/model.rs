//! What a model is offered, and what it reports.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::json::{json_from_guest, object_from_guest, object_to_guest};
use super::same_cases;
use super::schema::Schemas;
use crate::error::Error;
use crate::message::{FinishReason, ToolChoice, ToolDefinition, Usage};
use crate::sandbox::bindings::cepa::middleware::types as wit;

same_cases!(
    reason_to_guest,
    reason_from_guest,
    FinishReason,
    wit::FinishReason { Stop, Length, ToolCalls, ContentFilter, Other }
);

pub(in crate::sandbox) fn tool_to_guest(tool: &ToolDefinition) -> wit::ToolDefinition {
    wit::ToolDefinition {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.to_string(),
        parallel: tool.parallel,
        metadata: object_to_guest(tool.metadata.clone()),
    }
}

/// How many tools a guest may give at once: more than a model can choose from, and few enough to be compiled at a start.
const TOOLS_MAX: usize = 1_024;

/// A tool of a guest. Parameters that it has already are not compiled again.
fn tool_from_guest(
    tool: wit::ToolDefinition,
    known: &HashMap<&str, &Value>,
    schemas: &mut Schemas,
) -> Result<ToolDefinition, Error> {
    let what = format!("`parameters` of tool `{}`", tool.name);
    let parameters = json_from_guest(&what, &tool.parameters)?;
    if known.get(tool.name.as_str()).is_none_or(|known| **known != parameters) {
        schemas.compile(&what, &tool.parameters, &parameters)?;
    }
    let metadata = object_from_guest("the tool's `metadata`", &tool.metadata)?;
    Ok(ToolDefinition {
        name: tool.name,
        description: tool.description,
        parameters,
        parallel: tool.parallel,
        metadata,
    })
}

/// Tool definitions of a guest: not too many, each with a name of its own. Compiling the schemas that are not `known` may
/// take long.
pub(in crate::sandbox) fn tools_from_guest(
    tools: Vec<wit::ToolDefinition>,
    known: &[ToolDefinition],
) -> Result<Vec<ToolDefinition>, Error> {
    if tools.len() > TOOLS_MAX {
        return Err(Error::limit("tools", TOOLS_MAX, tools.len()));
    }
    let mut names = HashSet::new();
    for tool in &tools {
        if tool.name.is_empty() {
            return Err(Error::invalid("a tool has no name"));
        }
        if !names.insert(tool.name.as_str()) {
            return Err(Error::invalid(format!("two tools are named `{}`", tool.name)));
        }
    }
    let known: HashMap<&str, &Value> =
        known.iter().map(|tool| (tool.name.as_str(), &tool.parameters)).collect();
    let mut schemas = Schemas::default();
    tools.into_iter().map(|tool| tool_from_guest(tool, &known, &mut schemas)).collect()
}

pub(in crate::sandbox) fn choice_to_guest(choice: ToolChoice) -> wit::ToolChoice {
    match choice {
        ToolChoice::Auto => wit::ToolChoice::Auto,
        ToolChoice::None => wit::ToolChoice::None,
        ToolChoice::Required => wit::ToolChoice::Required,
        ToolChoice::Named(name) => wit::ToolChoice::Named(name),
    }
}

pub(in crate::sandbox) fn choice_from_guest(choice: wit::ToolChoice) -> ToolChoice {
    match choice {
        wit::ToolChoice::Auto => ToolChoice::Auto,
        wit::ToolChoice::None => ToolChoice::None,
        wit::ToolChoice::Required => ToolChoice::Required,
        wit::ToolChoice::Named(name) => ToolChoice::Named(name),
    }
}

pub(in crate::sandbox) fn usage_to_guest(usage: Usage) -> wit::Usage {
    wit::Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        reasoning_tokens: usage.reasoning_tokens,
        details: usage.details,
    }
}

pub(super) fn usage_from_guest(usage: wit::Usage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        reasoning_tokens: usage.reasoning_tokens,
        details: usage.details,
    }
}
