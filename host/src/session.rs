//! Sessions: what lasts across replies, and across the death of the process.

mod apply;
mod memory;
mod sqlite;
pub mod testing;

use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::{Message, ToolCall, ToolChoice, Usage};
use crate::services::StateStore;

pub use memory::MemorySessions;
pub use sqlite::SqliteSessions;

/// Where sessions are kept.
pub trait SessionStore: Send + Sync {
    /// What is known of a session; empty for an unknown id.
    fn load(&self, session_id: String) -> BoxFuture<'_, Result<SessionData, StoreError>>;
    /// Writes all of a batch or nothing. What it wrote outlives the process once this returns.
    fn write(&self, session_id: String, batch: Vec<Write>) -> BoxFuture<'_, Result<(), StoreError>>;
    /// Claims a session for one reply, so that no other process runs one in it meanwhile. Nothing is written.
    ///
    /// # Errors
    /// [`StoreError::Claimed`] while another process has the session.
    fn claim(&self, session_id: String) -> BoxFuture<'_, Result<Claim, StoreError>>;
    /// The ids of all sessions, the last used first.
    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
    /// Where layers keep their state.
    fn state(&self) -> Arc<dyn StateStore>;
}

/// A process's right to run a reply in a session. Dropping it gives the session free, and so does the death of the
/// process.
pub struct Claim(Option<Box<dyn Send + Sync>>);

impl Claim {
    /// A claim on a session that no other process can reach.
    pub fn unshared() -> Self {
        Self(None)
    }

    /// A claim that lasts as long as this guard is held.
    pub fn held(guard: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(guard)))
    }
}

impl std::fmt::Debug for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Claim").field("shared", &self.0.is_some()).finish()
    }
}

/// A session as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionData {
    /// The conversation, oldest first. Results stand behind their calls in the order of the calls.
    pub messages: Vec<Message>,
    /// The last reply, whatever became of it.
    pub reply: Option<ReplyRecord>,
    /// The tool calls of the last reply that have no result yet, in order.
    pub open_calls: Vec<OpenCall>,
    /// Tokens by model alias over all replies, with the number of calls.
    pub usage: Vec<(String, Usage, u64)>,
}

/// What is known of a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ReplyRecord {
    /// Its id.
    pub id: String,
    /// The sub-agent whose reply it is; absent for the agent that the others belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Where it stands.
    pub status: ReplyStatus,
    /// How many messages the session had before it.
    pub base: u32,
    /// The steps begun.
    pub step: u32,
    /// The JSON Schema that the final answer must match.
    pub output_schema: Option<Value>,
    /// Whether the model may call tools.
    pub tool_choice: ToolChoice,
    /// Whom the agent acts for.
    pub actor: Option<String>,
    /// What the caller or a layer attached.
    pub metadata: Map<String, Value>,
}

/// Where a reply stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplyStatus {
    /// It runs, or its process died.
    Running,
    /// It waits for a person or a program outside.
    Parked,
    /// It has ended.
    Ended,
}

/// A tool call without a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OpenCall {
    /// The call as it is to run.
    pub call: ToolCall,
    /// Where it stands.
    pub state: CallState,
    /// Why a person is asked; empty otherwise.
    #[serde(default)]
    pub reason: String,
    /// Whether a person changed it, so that the result says so to the model.
    #[serde(default)]
    pub edited: bool,
}

/// Where a tool call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallState {
    /// Not looked at yet.
    Pending,
    /// A person is asked.
    Asking,
    /// A person allowed it; it has not begun.
    Confirmed,
    /// It has begun. Found after the death of a process, it is never run again.
    Running,
    /// A program outside runs it.
    Submitted,
}

/// One change of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// Adds a message at the end.
    Append(Message),
    /// Puts these messages in the place of those from `start` to before `end`.
    Replace {
        /// The first index to go.
        start: u32,
        /// The index after the last to go.
        end: u32,
        /// What comes instead.
        messages: Vec<Message>,
    },
    /// Sets what is known of the last reply; one with another id takes the place of the earlier and of its calls.
    PutReply(ReplyRecord),
    /// Sets what is known of an open call, by its id.
    PutCall(OpenCall),
    /// The call with this id has its result.
    CloseCall(String),
    /// Adds the tokens of one model call.
    AddUsage {
        /// The alias.
        model: String,
        /// Its tokens; unknown when the provider reported nothing.
        usage: Usage,
    },
}

/// Why a session could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file was written by a newer Cepa.
    #[error("session file `{path}` has format {found}, and this Cepa reads up to {known}")]
    Newer {
        /// The file.
        path: String,
        /// Its format.
        found: u32,
        /// The newest format known.
        known: u32,
    },
    /// The file is no session file, or damaged.
    #[error("session file `{path}` is damaged or not a session file: {cause}")]
    Damaged {
        /// The file.
        path: String,
        /// What was found.
        cause: String,
    },
    /// The file could not be read or written.
    #[error("session file `{path}`: {cause}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        cause: String,
    },
    /// Another process runs a reply in the session.
    #[error("session `{0}` is in use by another process: wait for the end of the reply that runs there")]
    Claimed(String),
    /// A range or an id that does not fit the session: a defect of the caller.
    #[error("{0}")]
    Invalid(String),
}

impl From<StoreError> for crate::error::Error {
    fn from(error: StoreError) -> Self {
        // Layers see this error, and the path of a file is not theirs to know.
        let cause = match &error {
            StoreError::Newer { .. } => "its file is of a newer format".to_owned(),
            StoreError::Damaged { .. } => "its file is damaged".to_owned(),
            StoreError::Io { cause, .. } | StoreError::Invalid(cause) => cause.clone(),
            StoreError::Claimed(_) => "another process uses it".to_owned(),
        };
        tracing::warn!("{error}");
        Self::internal(format!("the session could not be read or written: {cause}"))
    }
}
