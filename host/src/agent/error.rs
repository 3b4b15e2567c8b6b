//! Why an agent could not be built, or a reply not begun.

use crate::error::Error;
use crate::session::StoreError;
use crate::tool::ToolboxError;

use super::sub_agents::THREAD_BYTES_MAX;

/// Why an agent could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no model at all.
    #[error("agent `{0}` has no model: add one with `model`")]
    NoModel(String),
    /// The main model's alias is not among the models.
    #[error("the main model `{alias}` is not among the models: {known}")]
    UnknownModel {
        /// The alias.
        alias: String,
        /// The known aliases.
        known: String,
    },
    /// Two layers have the same name.
    #[error("two layers are named `{0}`: the name is the key of a layer's state and must be unique")]
    DuplicateLayer(String),
    /// Two sub-agents have the same name.
    #[error("two sub-agents are named `{0}`: layers run them by their names")]
    DuplicateAgent(String),
    /// A middleware could not say its tools.
    #[error("layer `{layer}` could not list its tools: {cause}")]
    ListTools {
        /// The layer.
        layer: String,
        /// What happened.
        cause: String,
    },
    /// Two tools have the same name, or a tool can't be used.
    #[error(transparent)]
    Tool(#[from] ToolboxError),
    /// The sessions could not be opened.
    #[error(transparent)]
    Sessions(#[from] StoreError),
}

/// Why a reply could not begin or go on. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// A reply runs in the session.
    #[error("session `{0}` is busy: a reply is running there, so wait for its end or abort it")]
    Busy(String),
    /// The session waits for answers.
    #[error("session `{session}` waits for answers to the calls {calls}: resume it, or discard them")]
    Waiting {
        /// The session.
        session: String,
        /// The waiting calls.
        calls: String,
    },
    /// The session belongs to another agent.
    #[error("session `{session}` belongs to {owner}, and {agent} can't go on with it: name another session")]
    OtherAgent {
        /// The session.
        session: String,
        /// Whose it is.
        owner: String,
        /// Who was to go on.
        agent: String,
    },
    /// A layer names a thread that there is not.
    #[error("session `{0}` is no thread that a sub-agent has begun")]
    NoThread(String),
    /// A sub-agent's thread has grown too long.
    #[error("session `{session}` holds {bytes} bytes, and a sub-agent's thread has {max} at most", max = THREAD_BYTES_MAX)]
    ThreadTooLong {
        /// The session.
        session: String,
        /// What it holds.
        bytes: u64,
    },
    /// Nothing waits in the session, and nothing was interrupted.
    #[error("session `{0}` has no reply to resume")]
    NothingToResume(String),
    /// An answer names a call that does not wait.
    #[error("no call `{call_id}` waits in session `{session}`; waiting: {waiting}")]
    UnknownCall {
        /// The session.
        session: String,
        /// The id that the answer has.
        call_id: String,
        /// The waiting calls.
        waiting: String,
    },
    /// An answer does not fit its call.
    #[error("the answer to call `{call_id}` can't be used: {cause}")]
    Answer {
        /// The id that the answer has.
        call_id: String,
        /// What is wrong.
        cause: String,
    },
    /// The input can't be used.
    #[error("the input can't be used: {0}")]
    Input(String),
    /// The session could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The input or the answers could not be stored.
    #[error("{0}")]
    Write(Error),
}
