//! A server and its tools.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject};
use tokio::sync::Mutex;

use crate::error::{Error, ErrorKind};
use crate::tool::Tool;

use super::connection::Connection;
use super::failure::CallFailure;
use super::tool::McpTool;
use super::{McpConfig, McpError, seconds};

/// An MCP server that was reached. It ends when this and all of its tools are dropped.
#[derive(Debug)]
pub struct McpServer {
    link: Arc<Link>,
    tools: Vec<Arc<McpTool>>,
}

impl McpServer {
    /// Starts or reaches a server and lists its tools.
    ///
    /// # Errors
    /// When it can't be started or reached, does not answer as an MCP server in time, or lacks a tool that the
    /// configuration names.
    pub async fn connect(config: McpConfig) -> Result<Self, McpError> {
        let (connection, listed) = tokio::time::timeout(config.timeout, async {
            let connection = Connection::open(&config).await?;
            let listed = connection.list_tools(&config).await?;
            Ok((connection, listed))
        })
        .await
        .map_err(|_| McpError::Timeout { server: config.name.clone(), limit: config.timeout })??;
        let taken = take(&config, listed)?;
        let link = Arc::new(Link { config, connection: Mutex::new(Some(Arc::new(connection))) });
        let tools = taken.into_iter().map(|tool| Arc::new(McpTool::new(tool, Arc::clone(&link)))).collect();
        Ok(Self { link, tools })
    }

    /// Its name in the manifest.
    pub fn name(&self) -> &str {
        &self.link.config.name
    }

    /// The tools that are taken from it, in its order.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>).collect()
    }
}

/// Keeps the tools that the configuration asks for.
fn take(config: &McpConfig, listed: Vec<rmcp::model::Tool>) -> Result<Vec<rmcp::model::Tool>, McpError> {
    let Some(wanted) = &config.tools else { return Ok(listed) };
    if let Some(missing) = wanted.iter().find(|name| listed.iter().all(|tool| tool.name != **name)) {
        return Err(McpError::UnknownTool {
            server: config.name.clone(),
            tool: missing.clone(),
            known: listed.into_iter().map(|tool| tool.name.into_owned()).collect(),
        });
    }
    Ok(listed.into_iter().filter(|tool| wanted.iter().any(|name| tool.name == *name)).collect())
}

/// What the tools of a server share: the way to it.
pub(super) struct Link {
    pub(super) config: McpConfig,
    /// Absent after an attempt to start it again has failed.
    connection: Mutex<Option<Arc<Connection>>>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Link {
    /// Calls a tool of the server, which is started again first if it has ended.
    pub(super) async fn call(&self, tool: String, arguments: JsonObject) -> Result<CallToolResult, Error> {
        let connection = self.connection().await?;
        let params = CallToolRequestParams::new(tool.clone()).with_arguments(arguments);
        let server = &self.config.name;
        match tokio::time::timeout(self.config.timeout, connection.call(params)).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(CallFailure::Refused(cause))) => {
                let message = format!("MCP server `{server}` refused the call of `{tool}`: {cause}");
                Err(Error::new(ErrorKind::Rejected, message))
            }
            Ok(Err(CallFailure::Gone(how))) => {
                let message =
                    format!("MCP server `{server}` {how}; whether `{tool}` was carried out is unknown");
                Err(Error::new(ErrorKind::Connection, message).retryable(false))
            }
            Err(_) => {
                let limit = seconds(self.config.timeout);
                let message = format!("`{tool}` of MCP server `{server}` did not answer within {limit}");
                Err(Error::new(ErrorKind::Timeout, message).retryable(false))
            }
        }
    }

    /// The connection, made anew if the last one has ended.
    async fn connection(&self) -> Result<Arc<Connection>, Error> {
        // Held while connecting, so that parallel calls start one server between them.
        let mut slot = self.connection.lock().await;
        if let Some(connection) = slot.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Arc::clone(connection));
        }
        *slot = None;
        let server = &self.config.name;
        tracing::info!(server, "the MCP server has ended and is started again");
        let opened = tokio::time::timeout(self.config.timeout, Connection::open(&self.config)).await;
        let connection = match opened {
            Ok(Ok(connection)) => Arc::new(connection),
            Ok(Err(error)) => return Err(self.not_again(&error.to_string())),
            Err(_) => return Err(self.not_again("it took too long")),
        };
        *slot = Some(Arc::clone(&connection));
        Ok(connection)
    }

    /// The cause may name programs and addresses, and so goes to the log alone.
    fn not_again(&self, cause: &str) -> Error {
        let server = &self.config.name;
        tracing::warn!(server, cause, "the MCP server can't be started again");
        let message = format!("MCP server `{server}` has ended and can't be started again");
        Error::new(ErrorKind::Connection, message)
    }
}
