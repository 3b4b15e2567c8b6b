//! What a model is offered, and what it reports.

use super::json::{object_from_guest, object_to_guest, schema_from_guest};
use super::same_cases;
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

fn tool_from_guest(tool: wit::ToolDefinition) -> Result<ToolDefinition, Error> {
    let what = format!("`parameters` of tool `{}`", tool.name);
    let parameters = schema_from_guest(&what, &tool.parameters)?;
    let metadata = object_from_guest("the tool's `metadata`", &tool.metadata)?;
    Ok(ToolDefinition {
        name: tool.name,
        description: tool.description,
        parameters,
        parallel: tool.parallel,
        metadata,
    })
}

/// Tool definitions of a guest, no two of one name.
pub(in crate::sandbox) fn tools_from_guest(
    tools: Vec<wit::ToolDefinition>,
) -> Result<Vec<ToolDefinition>, Error> {
    let mut checked: Vec<ToolDefinition> = Vec::with_capacity(tools.len());
    for tool in tools {
        if checked.iter().any(|known| known.name == tool.name) {
            return Err(Error::invalid(format!("two tools are named `{}`", tool.name)));
        }
        checked.push(tool_from_guest(tool)?);
    }
    Ok(checked)
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
