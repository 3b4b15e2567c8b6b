//! A server and its tools.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject};

use crate::error::{Error, ErrorKind};
use crate::tool::{Tool, ToolList, ToolProvider};

use super::client::Changes;
use super::connection::Connection;
use super::failure::CallFailure;
use super::tool::McpTool;
use super::{McpConfig, McpError, seconds};

/// How long a step waits for a list that is read again; a server's own `timeout` where that is shorter.
const LIST_WAIT: Duration = Duration::from_secs(5);

/// How often the pause after a list that was not given doubles: up to 32 steps.
const PAUSE_DOUBLINGS: u32 = 5;

/// An MCP server that was reached. It ends when this and all of its tools are dropped.
#[derive(Debug)]
pub struct McpServer {
    link: Arc<Link>,
    listed: Mutex<Listed>,
}

/// The tools of a server as they were listed last.
struct Listed {
    /// How many changes had been told before.
    changes: u64,
    pause: Pause,
    raw: Vec<rmcp::model::Tool>,
    tools: ToolList,
}

/// How long a server that did not give its list is left alone: for one step first, and then each time twice as long.
#[derive(Debug, Default)]
struct Pause {
    failures: u32,
    steps: u32,
}

impl Pause {
    /// Whether it is over with this step.
    fn is_over(&mut self) -> bool {
        let over = self.steps == 0;
        self.steps = self.steps.saturating_sub(1);
        over
    }

    /// Begins, since the list was not given.
    fn begin(&mut self) {
        self.steps = 1 << self.failures.min(PAUSE_DOUBLINGS);
        self.failures = self.failures.saturating_add(1);
    }
}

/// What came of asking for the tools again.
enum Asked {
    Listed(Vec<rmcp::model::Tool>),
    /// The server did not say. The log has why.
    Silent,
    /// The server has ended, and is asked once it was started again.
    Ended,
}

impl McpServer {
    /// Starts or reaches a server and lists its tools.
    ///
    /// # Errors
    /// When it can't be started or reached, does not answer as an MCP server in time, or lacks a tool that the
    /// configuration names.
    pub async fn connect(config: McpConfig) -> Result<Self, McpError> {
        let changes = Changes::default();
        let (connection, raw) = tokio::time::timeout(config.timeout, async {
            let connection = Connection::open(&config, &changes).await?;
            let listed = connection.list_tools(&config).await?;
            Ok((connection, listed))
        })
        .await
        .map_err(|_| McpError::Timeout { server: config.name.clone(), limit: config.timeout })??;
        if let Some(missing) = missing(&config, &raw) {
            return Err(McpError::UnknownTool {
                server: config.name.clone(),
                tool: missing.to_owned(),
                known: raw.into_iter().map(|tool| tool.name.into_owned()).collect(),
            });
        }
        let connection = tokio::sync::Mutex::new(Some(Arc::new(connection)));
        let link = Arc::new(Link { config, changes, connection });
        let listed = Listed { changes: 0, pause: Pause::default(), tools: taken(&link, &raw), raw };
        Ok(Self { link, listed: Mutex::new(listed) })
    }

    /// Its name in the manifest.
    pub fn name(&self) -> &str {
        &self.link.config.name
    }

    /// The tools that are taken from it, in its order, as they were listed last.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.listed().tools.to_vec()
    }

    fn listed(&self) -> MutexGuard<'_, Listed> {
        self.listed.lock()
    }

    /// Lists the tools again if they may have changed. A server that does not list them keeps those it had, and is asked
    /// again after a pause.
    async fn list_again(&self) {
        let changes = self.link.changes.count();
        if !self.is_due(changes) {
            return;
        }
        let asked = self.link.list().await;
        let mut listed = self.listed();
        match asked {
            Asked::Listed(raw) => {
                listed.changes = changes;
                listed.pause = Pause::default();
                if raw != listed.raw {
                    listed.tools = taken(&self.link, &raw);
                    listed.raw = raw;
                }
            }
            Asked::Silent => listed.pause.begin(),
            Asked::Ended => {}
        }
    }

    fn is_due(&self, changes: u64) -> bool {
        let mut listed = self.listed();
        listed.changes != changes && listed.pause.is_over()
    }
}

impl ToolProvider for McpServer {
    fn current(&self) -> BoxFuture<'_, ToolList> {
        Box::pin(async move {
            self.list_again().await;
            Arc::clone(&self.listed().tools)
        })
    }
}

impl std::fmt::Debug for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.raw.iter().map(|tool| &tool.name)).finish()
    }
}

/// The first tool that the configuration names and the server lacks.
fn missing<'a>(config: &'a McpConfig, raw: &[rmcp::model::Tool]) -> Option<&'a str> {
    let mut wanted = config.tools.iter().flatten();
    wanted.find(|name| raw.iter().all(|tool| tool.name != **name)).map(String::as_str)
}

/// The tools that the configuration asks for.
fn taken(link: &Arc<Link>, raw: &[rmcp::model::Tool]) -> ToolList {
    let wanted = link.config.tools.as_ref();
    let asked =
        |tool: &&rmcp::model::Tool| wanted.is_none_or(|names| names.iter().any(|name| tool.name == *name));
    let tool =
        |tool: &rmcp::model::Tool| Arc::new(McpTool::new(tool.clone(), Arc::clone(link))) as Arc<dyn Tool>;
    Arc::new(raw.iter().filter(asked).map(tool).collect())
}

/// What the tools of a server share: the way to it.
pub(super) struct Link {
    pub(super) config: McpConfig,
    changes: Changes,
    /// Absent after an attempt to start it again has failed.
    connection: tokio::sync::Mutex<Option<Arc<Connection>>>,
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
        match tokio::time::timeout(self.config.timeout, connection.call(params, &self.config)).await {
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

    /// Asks for the tools that the server has now.
    async fn list(&self) -> Asked {
        let server = &self.config.name;
        let limit = LIST_WAIT.min(self.config.timeout);
        // Whoever has it locked starts the server again, and then there is a new list to read.
        let connection = self.connection.try_lock().ok().and_then(|slot| slot.clone());
        let Some(connection) = connection.filter(|connection| !connection.is_closed()) else {
            return Asked::Ended;
        };
        match tokio::time::timeout(limit, connection.list_tools(&self.config)).await {
            Ok(Ok(tools)) => {
                if let Some(tool) = missing(&self.config, &tools) {
                    tracing::warn!(server, tool, "the MCP server no longer has a tool that is asked for");
                }
                Asked::Listed(tools)
            }
            Ok(Err(error)) => {
                tracing::warn!("{error}; its tools stay as they were");
                Asked::Silent
            }
            Err(_) => {
                let limit = seconds(limit);
                tracing::warn!(
                    server,
                    limit,
                    "the MCP server did not list its tools in time; they stay as they were"
                );
                Asked::Silent
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
        let opened =
            tokio::time::timeout(self.config.timeout, Connection::open(&self.config, &self.changes)).await;
        let connection = match opened {
            Ok(Ok(connection)) => Arc::new(connection),
            Ok(Err(error)) => return Err(self.not_again(&error.to_string())),
            Err(_) => return Err(self.not_again("it took too long")),
        };
        *slot = Some(Arc::clone(&connection));
        // It may be another version of the program.
        self.changes.add();
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
