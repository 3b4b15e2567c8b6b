//! What a layer may ask of the agent that runs it: models, tools, the conversation, state.
//!
//! Grants are checked by the sandbox before it asks; here stands what the agent can do.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::error::{Error, ErrorKind};
use crate::index::Index;
use crate::message::{Message, ToolDefinition};
use crate::request::{Messages, ModelRequest, ModelResponse, ReplyResponse, ToolResponse};

/// The agent's side of the capabilities.
pub trait Services: Send + Sync {
    /// The model aliases of the manifest, sorted.
    fn aliases(&self) -> Vec<String>;
    /// Asks a model for a layer: marked internal, not streamed, counted.
    fn complete(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelResponse, Error>>;
    /// Every tool of the agent, offered or not.
    fn catalogue(&self) -> Arc<Vec<ToolDefinition>>;
    /// Offers a tool from the next step on.
    ///
    /// # Errors
    /// `not-found` when the catalogue lacks it.
    fn offer(&self, name: &str) -> Result<(), Error>;
    /// Stops offering a tool from the next step on.
    ///
    /// # Errors
    /// `not-found` when the catalogue lacks it.
    fn withhold(&self, name: &str) -> Result<(), Error>;
    /// Runs a tool for the layer of this name: validated and authorised as a model's call is, through `on-acting` of the
    /// layers inside it, and noted.
    fn call_tool(
        &self,
        layer: String,
        name: String,
        arguments: String,
    ) -> BoxFuture<'_, Result<ToolResponse, Error>>;
    /// The conversation as it is now.
    fn conversation(&self) -> Messages;
    /// Replaces the messages from index `start` to before `end`.
    fn replace(&self, start: u32, end: u32, messages: Vec<Message>) -> BoxFuture<'_, Result<(), Error>>;
    /// Where layers keep their state.
    fn state(&self) -> Arc<dyn StateStore>;
    /// Where layers keep their documents.
    fn index(&self) -> Arc<Index>;
    /// The sub-agents, sorted.
    fn agents(&self) -> Vec<String>;
    /// Runs a sub-agent for the layer of this name, to the end of a reply: counted, not streamed, and aborted with the
    /// reply around it.
    fn run_agent(&self, layer: String, call: AgentCall) -> BoxFuture<'_, Result<AgentRun, Error>>;
}

/// What a layer asks of a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCall {
    /// The agent's name.
    pub agent: String,
    /// The thread to go on in; absent for a new one.
    pub thread: Option<String>,
    /// What it is asked.
    pub prompt: String,
}

/// What a run of a sub-agent came to.
#[derive(Clone, Debug)]
pub struct AgentRun {
    /// The thread that it ran in: the same layer can go on with it in the same session.
    pub thread: String,
    /// How it ended: not aborted, since that is an error.
    pub response: ReplyResponse,
}

/// How long a value lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The reply, parking included.
    Reply,
    /// The session.
    Session,
    /// The layer, across sessions.
    Layer,
}

impl Scope {
    /// The contract's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Session => "session",
            Self::Layer => "layer",
        }
    }
}

/// Whose state, and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatePlace {
    /// The layer's name: the state key of the manifest.
    pub layer: String,
    /// How long the values last.
    pub scope: Scope,
    /// The session, or session and reply; empty for the scope `layer`.
    pub owner: String,
}

impl StatePlace {
    /// Where a layer's values of this scope are, seen from a reply of a session.
    pub fn new(layer: impl Into<String>, scope: Scope, session_id: &str, reply_id: &str) -> Self {
        let owner = match scope {
            Scope::Reply => reply_owner(session_id, reply_id),
            Scope::Session => session_id.to_owned(),
            Scope::Layer => String::new(),
        };
        Self { layer: layer.into(), scope, owner }
    }
}

/// Whom the values of the scope `reply` belong to. The length tells where the session's id ends, so that no two pairs
/// of ids share an owner.
pub(crate) fn reply_owner(session_id: &str, reply_id: &str) -> String {
    format!("{}:{session_id}{reply_id}", session_id.len())
}

/// Durable key-value state of layers.
///
/// What writes takes the quota of its place: the bytes of keys and values there, and 64 for each entry. A write that
/// makes an entry larger is refused with `limit` when the place would then hold more, and changes nothing.
pub trait StateStore: Send + Sync {
    /// The value of a key.
    fn get(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<Option<String>, Error>>;
    /// Sets a value.
    fn set(
        &self,
        place: StatePlace,
        key: String,
        value: String,
        quota: u64,
    ) -> BoxFuture<'_, Result<(), Error>>;
    /// Deletes a value, and says whether there was one.
    fn delete(&self, place: StatePlace, key: String) -> BoxFuture<'_, Result<bool, Error>>;
    /// The keys that begin with a prefix, sorted.
    fn keys(&self, place: StatePlace, prefix: String) -> BoxFuture<'_, Result<Vec<String>, Error>>;
    /// Sets the value if it is still `expected`, and says whether it did; `None` stands for absent.
    fn compare_and_set(
        &self,
        place: StatePlace,
        key: String,
        expected: Option<String>,
        value: Option<String>,
        quota: u64,
    ) -> BoxFuture<'_, Result<bool, Error>>;
    /// Adds to a number, from 0 when absent, and gives the sum.
    fn increment(
        &self,
        place: StatePlace,
        key: String,
        delta: f64,
        quota: u64,
    ) -> BoxFuture<'_, Result<f64, Error>>;
}

/// Services of an agent that has nothing, for chains without a loop around them.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoServices;

fn nothing(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("there are no {what} here"))
}

impl Services for NoServices {
    fn aliases(&self) -> Vec<String> {
        Vec::new()
    }

    fn complete(&self, _request: ModelRequest) -> BoxFuture<'_, Result<ModelResponse, Error>> {
        Box::pin(async { Err(nothing("models")) })
    }

    fn catalogue(&self) -> Arc<Vec<ToolDefinition>> {
        Arc::default()
    }

    fn offer(&self, _name: &str) -> Result<(), Error> {
        Err(nothing("tools"))
    }

    fn withhold(&self, _name: &str) -> Result<(), Error> {
        Err(nothing("tools"))
    }

    fn call_tool(
        &self,
        _layer: String,
        _name: String,
        _arguments: String,
    ) -> BoxFuture<'_, Result<ToolResponse, Error>> {
        Box::pin(async { Err(nothing("tools")) })
    }

    fn conversation(&self) -> Messages {
        Messages::default()
    }

    fn replace(&self, _start: u32, _end: u32, _messages: Vec<Message>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { Err(nothing("messages")) })
    }

    fn state(&self) -> Arc<dyn StateStore> {
        Arc::new(crate::state::MemoryState::default())
    }

    fn index(&self) -> Arc<Index> {
        Arc::new(Index::memory())
    }

    fn agents(&self) -> Vec<String> {
        Vec::new()
    }

    fn run_agent(&self, _layer: String, _call: AgentCall) -> BoxFuture<'_, Result<AgentRun, Error>> {
        Box::pin(async { Err(nothing("agents")) })
    }
}
