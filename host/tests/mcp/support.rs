//! Calling a tool.

use std::sync::Arc;

use cepa::chain::{ReplyContext, Sink};
use cepa::error::Error;
use cepa::request::ToolResponse;
use cepa::tool::mcp::McpServer;
use cepa::tool::{Tool, ToolInvocation};
use serde_json::Value;

pub(crate) fn tool(server: &McpServer, name: &str) -> Arc<dyn Tool> {
    server.tools().into_iter().find(|tool| tool.definition().name == name).unwrap()
}

pub(crate) async fn call(server: &McpServer, name: &str, arguments: Value) -> Result<ToolResponse, Error> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let context = ReplyContext::builder("s", "r").build();
    let invocation = ToolInvocation { call_id: "c".into(), arguments, context };
    tool(server, name).call(invocation, Sink::discard()).await
}
