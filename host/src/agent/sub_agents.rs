//! Sub-agents: agents that the layers of another one run, each run a reply of its own in a thread of its own.
//!
//! A thread is a session like others, under a key that says whose it is. Its reply runs on a task of its own, is aborted
//! with the reply that it belongs to, and is waited for at that reply's end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use sha2::{Digest as _, Sha256};

use crate::chain::{NoteKind, within};
use crate::error::{Error, ErrorKind};
use crate::event::Outcome;
use crate::hex::hex;
use crate::request::{self, ReplyResponse};
use crate::services::{AgentCall, AgentRun};
use crate::session::StoreError;

use super::error::AgentError;
use super::input::ReplyInput;
use super::stream::{ReplyItem, ReplyResult, ReplyStream};
use super::turn::{Outer, Turn};
use super::{Inner, begin};

/// The sub-agents by their names. Those that run inside one another share them.
pub(super) type Roster = BTreeMap<String, Arc<Inner>>;

/// How many runs may stand inside one another: an agent that calls itself in a circle comes to an end.
const DEPTH_MAX: u32 = 4;

/// How many runs one reply may have of all its layers together, those that its sub-agents' layers begin included: each may
/// begin as many as its limit says, inside one another.
const RUNS_MAX: u32 = 256;

/// How long a thread may be that is gone on with, in bytes of its messages as JSON: more than a model can read, and no
/// burden to the store. Looked at before a prompt is stored.
pub(super) const THREAD_BYTES_MAX: u64 = 16 << 20;

impl Turn {
    /// Runs a sub-agent for a layer, to its end.
    pub(super) async fn run_agent(
        self: &Arc<Self>,
        layer: &str,
        mut call: AgentCall,
    ) -> Result<AgentRun, Error> {
        if self.is_aborted() {
            return Err(Error::aborted());
        }
        let depth = self.depth() + 1;
        if depth > DEPTH_MAX {
            return Err(Error::limit("agent-depth", DEPTH_MAX, depth));
        }
        self.count_run()?;
        let Some(agent) = self.roster.get(&call.agent).cloned() else {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no agent `{}`", call.agent)));
        };
        let input = ReplyInput {
            actor: self.context.actor.clone(),
            // Nobody can answer what waits in a thread, so it is given up when the thread goes on.
            discard_pending: true,
            ..ReplyInput::from(std::mem::take(&mut call.prompt))
        };
        // A prompt that is refused costs no look at the thread.
        request::check_input(&input.messages)
            .map_err(|cause| not_begun(&call.agent, AgentError::Input(cause)))?;
        let continues = call.thread.is_some();
        let thread = call.thread.take().unwrap_or_else(|| self.context.world.id());
        let session_id = self.session_of(layer, &call.agent, &thread);
        let cancel = self.context.cancel.child_token();
        // A layer that gives its call up, or is cut off, aborts the run, which is read to its end all the same.
        let _abort = cancel.clone().drop_guard();
        let (turn, layer, name) = (Arc::clone(self), layer.to_owned(), call.agent);
        let run = async move {
            let outer = Outer { turn: Arc::clone(&turn), continues, cancel };
            let run = begin::reply(&agent, session_id.clone(), input, Some(outer))
                .await
                .map_err(|error| not_begun(&name, error))?;
            Ok::<_, Error>(turn.follow(run, &layer, name, session_id).await)
        };
        // One task from the begin on, so that a run which is given up while it begins is told of as well.
        let end = self.runs.spawn(within(run));
        let response = end.await.unwrap_or_else(|_| Err(Error::internal("the run broke off")))?;
        if response.outcome == Outcome::Aborted {
            return Err(Error::aborted());
        }
        Ok(AgentRun { thread, response })
    }

    /// Counts a run with the reply that all stand inside of.
    fn count_run(&self) -> Result<(), Error> {
        let begun = self.begun_runs.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if begun > RUNS_MAX { Err(Error::limit("agent-runs-in-all", RUNS_MAX, begun)) } else { Ok(()) }
    }

    /// The session of a thread. Its id follows from all whom the thread belongs to, so that nobody else's thread can be
    /// meant by it; it is a hash, since ids are short and what this one follows from is not.
    fn session_of(&self, layer: &str, agent: &str, thread: &str) -> String {
        let mut hash = Sha256::new();
        for part in [self.context.session_id.as_str(), layer, agent, thread] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        format!("agent-{}", hex(&hash.finalize()))
    }

    /// Reads a run to its end. Its events are nobody's to see; what its layers did is told and counted with this reply.
    async fn follow(
        &self,
        mut run: ReplyStream,
        layer: &str,
        agent: String,
        session_id: String,
    ) -> ReplyResponse {
        let ledger = &self.context.ledger;
        while let Some(item) = run.next().await {
            if let ReplyItem::Note(note) = item {
                ledger.note(&note.layer, note.kind);
            }
        }
        let ReplyResult { response, layers, .. } = run.finish().await;
        ledger.add(&layers);
        ledger.note(layer, NoteKind::AgentRun { agent, session_id, outcome: response.outcome });
        response
    }
}

/// Why a run could not begin, as the layer may know it: no id of a session, no path, and nothing that a file or the
/// system said, which is the operator's to read.
fn not_begun(agent: &str, error: AgentError) -> Error {
    let told = match &error {
        AgentError::Busy(_) | AgentError::Store(StoreError::Claimed(_)) => {
            Error::new(ErrorKind::Overloaded, "the thread is busy: a run goes on there").code("busy")
        }
        AgentError::Input(cause) => return Error::invalid(format!("the prompt can't be used: {cause}")),
        AgentError::NoThread(_) => {
            let text = format!("agent `{agent}` has no such thread of this layer in this session");
            return Error::new(ErrorKind::NotFound, text).code("no-thread");
        }
        AgentError::ThreadTooLong { bytes, .. } => {
            let text = format!(
                "limit `thread-bytes` reached: {bytes} of {THREAD_BYTES_MAX} allowed; begin a new thread"
            );
            return Error::new(ErrorKind::Limit, text).code("thread-bytes");
        }
        AgentError::Store(_) => Error::internal("the thread could not be read"),
        AgentError::Write(_) => Error::internal("the begin of the run could not be stored"),
        _ => Error::internal("the run could not begin"),
    };
    tracing::warn!("agent `{agent}` could not begin: {error}");
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_not_told_what_the_store_said() {
        let (path, cause) = ("/home/x/sessions.db".to_owned(), "session `agent-1` is broken".to_owned());
        let errors = [
            AgentError::Store(StoreError::Io { path: path.clone(), cause: cause.clone() }),
            AgentError::Store(StoreError::Damaged { path, cause: cause.clone() }),
            AgentError::Store(StoreError::Invalid(cause.clone())),
            AgentError::Store(StoreError::Claimed("agent-1".to_owned())),
            AgentError::Write(Error::internal(cause)),
            AgentError::Busy("agent-1".to_owned()),
            AgentError::NothingToResume("agent-1".to_owned()),
        ];
        let told: Vec<String> = errors.into_iter().map(|error| not_begun("helper", error).message).collect();
        assert_eq!(
            told,
            [
                "the thread could not be read",
                "the thread could not be read",
                "the thread could not be read",
                "the thread is busy: a run goes on there",
                "the begin of the run could not be stored",
                "the thread is busy: a run goes on there",
                "the run could not begin",
            ]
        );
    }
}
