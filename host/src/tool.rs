//! Tools: what a model may have run.

mod chosen;
mod external;
pub mod mcp;
mod registry;
mod schema;

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::chain::{ReplyContext, Sink};
use crate::error::Error;
use crate::message::ToolDefinition;
use crate::request::ToolResponse;

pub(crate) use chosen::{Chosen, is_chosen};
pub use external::ExternalTool;
pub use registry::{Toolbox, ToolboxError};

/// Who brought a tool; named when two bring the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ToolOwner {
    /// The program that embeds the host.
    Native,
    /// A middleware, by its layer's name.
    Middleware(String),
    /// An MCP server, by its name in the manifest.
    Mcp(String),
    /// A program outside, declared in the manifest.
    Outside,
}

impl fmt::Display for ToolOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Native => f.write_str("the embedding program"),
            Self::Middleware(name) => write!(f, "middleware `{name}`"),
            Self::Mcp(name) => write!(f, "MCP server `{name}`"),
            Self::Outside => f.write_str("a `[[tool]]` of the manifest"),
        }
    }
}

/// One call of a tool, its arguments parsed and valid.
#[derive(Clone, Debug)]
pub struct ToolInvocation {
    /// The call's id.
    pub call_id: String,
    /// The arguments, as the tool's schema has them.
    pub arguments: Map<String, Value>,
    /// The reply that it belongs to.
    pub context: Arc<ReplyContext>,
}

/// A tool.
pub trait Tool: Send + Sync {
    /// What the model sees.
    fn definition(&self) -> &ToolDefinition;
    /// Whether a program outside runs it: the reply parks until the result is handed in.
    fn external(&self) -> bool {
        false
    }
    /// Runs it. What is sent to `out` as `tool-result-text` or `tool-result-data` is shown as it comes; the response
    /// holds the whole. Dropping the future cancels the call. An error becomes an error result for the model.
    fn call(&self, invocation: ToolInvocation, out: Sink) -> BoxFuture<'static, Result<ToolResponse, Error>>;
}

/// The tools of one owner at one time.
pub type ToolList = Arc<Vec<Arc<dyn Tool>>>;

/// Someone whose tools may change while an agent runs, such as a server.
pub trait ToolProvider: Send + Sync {
    /// The tools as they are now; the very same list until they change. Asks whoever knows, if they may have changed.
    fn current(&self) -> BoxFuture<'_, ToolList>;
}
