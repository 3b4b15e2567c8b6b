//! One tool of a server.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::chain::Sink;
use crate::error::Error;
use crate::message::ToolDefinition;
use crate::request::ToolResponse;
use crate::tool::{Tool, ToolInvocation};

use super::result::response;
use super::server::Link;

#[derive(Debug)]
pub(super) struct McpTool {
    /// What the server calls it.
    name: String,
    definition: ToolDefinition,
    link: Arc<Link>,
}

impl McpTool {
    pub(super) fn new(tool: rmcp::model::Tool, link: Arc<Link>) -> Self {
        let definition = define(&tool, &link.config.name, &link.config.prefix);
        Self { name: tool.name.into_owned(), definition, link }
    }
}

fn define(tool: &rmcp::model::Tool, server: &str, prefix: &str) -> ToolDefinition {
    let hints = tool.annotations.as_ref();
    let mut metadata = Map::new();
    metadata.insert("mcp-server".to_owned(), server.into());
    if let Some(hints) = hints.and_then(|hints| serde_json::to_value(hints).ok()) {
        metadata.insert("mcp-annotations".to_owned(), hints);
    }
    ToolDefinition {
        name: format!("{prefix}{}", usable(&tool.name)),
        description: tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default().to_owned(),
        parameters: Value::Object((*tool.input_schema).clone()),
        // A server may lie about this, at the cost of its own tools alone.
        parallel: hints.and_then(|hints| hints.read_only_hint).unwrap_or(false),
        metadata,
    }
}

/// The name with `_` for what model providers refuse in a name, such as the dots of `files.read`.
fn usable(name: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    name.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect()
}

impl Tool for McpTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call(
        &self,
        invocation: ToolInvocation,
        _out: Sink,
    ) -> BoxFuture<'static, Result<ToolResponse, Error>> {
        let (link, name) = (Arc::clone(&self.link), self.name.clone());
        Box::pin(async move { Ok(response(link.call(name, invocation.arguments).await?)) })
    }
}
