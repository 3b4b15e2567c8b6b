//! The agent: runs replies through a chain of layers around models and tools. Knows no wasm.
//!
//! One reply is one task. [`Agent::reply`] stores the input, then the task calls the chain's `on-reply` hook around the
//! loop: compress, reason, act, until there is a final answer or the reply parks. Whatever happens, the task ends with
//! one `reply-end` event, one call of the `on-turn-end` observers, and no open call that nobody waits for.

mod act;
mod acting;
mod answers;
mod assemble;
mod begin;
mod board;
mod builder;
mod call;
mod compress;
mod conversation;
mod draft;
mod edit;
mod end;
mod enter;
mod error;
mod input;
mod integrity;
mod lanes;
mod layer_tool;
mod lineup;
mod migrate;
mod outcome;
mod owner;
mod partial;
mod permission;
mod ready;
mod reason;
mod services;
mod settle;
mod spending;
mod stage;
mod step;
mod stream;
mod sub_agents;
mod swap;
mod trial;
mod turn;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::chain::TakenOut;
use crate::error::Error;
use crate::index::Index;
use crate::message::ToolDefinition;
use crate::model::Model;
use crate::session::{CallState, OpenCall, SessionData, SessionStore};
use crate::telemetry::TelemetrySink;
use crate::tool::Toolbox;
use crate::world::World;

use builder::Bounds;
use lanes::Lanes;
use lineup::{Lineup, Place};
use permission::Ruling;
use stage::Stage;
use sub_agents::Roster;

pub use crate::request::INPUT_TEXT_MAX;
pub use begin::{SESSION_ID_MAX, check_session_id};
pub use builder::AgentBuilder;
pub use error::{AgentError, BuildError};
pub use input::{Answer, Pending, ReplyInput};
pub use permission::{PermissionRule, PermissionRules, RuleError};
pub use stream::{ReplyItem, ReplyResult, ReplyStream};
pub(crate) use swap::Accompanying;
pub use swap::{LayerStatus, LineupStatus, RollBack, SwapError, SwapStatus, Swapped};

/// An agent: a name, models, tools, layers and a place for sessions. Cheap to clone.
#[derive(Clone)]
pub struct Agent(Arc<Inner>);

/// What all replies of an agent share.
struct Inner {
    name: String,
    system_prompt: Option<String>,
    models: BTreeMap<String, Arc<dyn Model>>,
    main: String,
    parameters: Map<String, Value>,
    /// The tools that no layer brings.
    tools: Toolbox,
    stage: Stage,
    trial_calls: u32,
    sessions: Arc<dyn SessionStore>,
    index: Arc<Index>,
    telemetry: Option<Arc<dyn TelemetrySink>>,
    permissions: Arc<Ruling>,
    /// For a sub-agent, the rules of the agent that it belongs to: they hold for it as well.
    rules_around: Option<Arc<Ruling>>,
    bounds: Bounds,
    world: Arc<dyn World>,
    lanes: Lanes,
    /// The agents that layers may run.
    roster: Arc<Roster>,
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("name", &self.0.name).finish_non_exhaustive()
    }
}

impl Agent {
    /// Begins an agent of this name.
    pub fn builder(name: impl Into<String>) -> AgentBuilder {
        AgentBuilder::new(name.into())
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Every tool of the agent, those of its active layers included.
    pub fn tools(&self) -> Arc<Vec<ToolDefinition>> {
        self.0.stage.active().tools.catalogue()
    }

    /// The agents that layers may run by their names, sorted.
    pub fn sub_agents(&self) -> Vec<Self> {
        self.0.roster.values().cloned().map(Self).collect()
    }

    /// The active layers of this agent, and those of its sub-agents.
    fn lineups(&self) -> impl Iterator<Item = Arc<Lineup>> {
        std::iter::once(&self.0).chain(self.0.roster.values()).map(|agent| agent.stage.active())
    }

    /// The layers that are taken out, those of sub-agents included, each with why. Later replies begin without them.
    pub fn taken_out(&self) -> Vec<(String, TakenOut)> {
        let out = |place: &Place| Some((place.name().to_owned(), place.entry.health.taken_out()?));
        self.lineups().flat_map(|lineup| lineup.places.iter().filter_map(out).collect::<Vec<_>>()).collect()
    }

    /// Puts a layer back in that was taken out, and says whether there is one of this name: later replies try it
    /// again.
    pub fn put_back(&self, layer: &str) -> bool {
        let mut lineups = self.lineups();
        lineups.any(|lineup| lineup.named(layer).inspect(|place| place.entry.health.reset()).is_some())
    }

    /// This agent's own rules about which tool calls may run.
    pub fn permissions(&self) -> Arc<PermissionRules> {
        self.0.permissions.now()
    }

    /// Exchanges the rules about which tool calls may run. They hold from then on, in running replies as well, and for
    /// sub-agents beside their own rules, which stay: the strictest wins.
    pub fn set_permissions(&self, rules: PermissionRules) {
        self.0.permissions.replace(rules);
    }

    /// Where the agent keeps its sessions.
    pub fn sessions(&self) -> &Arc<dyn SessionStore> {
        &self.0.sessions
    }

    /// Answers an input. Once this returns, the input is stored and the reply runs on a task of its own, for which a
    /// tokio runtime must be there.
    ///
    /// A reply whose process died is ended first: its open calls get results that say so.
    ///
    /// # Errors
    /// [`AgentError::Busy`] while a reply runs in the session; [`AgentError::Waiting`] when it is parked and
    /// `discard_pending` is not set; [`AgentError::Input`] for input that can't be used; or the session's error.
    pub async fn reply(
        &self,
        session_id: impl Into<String>,
        input: impl Into<ReplyInput>,
    ) -> Result<ReplyStream, AgentError> {
        let (agent, session_id, input) = (Arc::clone(&self.0), session_id.into(), input.into());
        unbroken(async move { begin::reply(&agent, session_id, input, None).await }).await
    }

    /// Goes on with a reply that is parked, or whose process died.
    ///
    /// Part of the answers is enough: the other calls stay parked and are not announced again. After the death of a
    /// process no answer is needed: calls that ran then get a result that says they may or may not have taken
    /// effect, others run now.
    ///
    /// # Errors
    /// As for [`Agent::reply`]; [`AgentError::UnknownCall`] and [`AgentError::Answer`] for answers that do not fit,
    /// which change nothing; [`AgentError::NothingToResume`].
    pub async fn resume(
        &self,
        session_id: impl Into<String>,
        answers: Vec<Answer>,
    ) -> Result<ReplyStream, AgentError> {
        let (agent, session_id) = (Arc::clone(&self.0), session_id.into());
        unbroken(async move { begin::resume(&agent, session_id, answers).await }).await
    }

    /// The calls that a session waits for.
    ///
    /// # Errors
    /// [`AgentError::Input`] for an id that no session can have; the session's error.
    pub async fn pending(&self, session_id: impl Into<String>) -> Result<Vec<Pending>, AgentError> {
        let session_id = session_id.into();
        check_session_id(&session_id).map_err(AgentError::Input)?;
        Ok(waiting(&load(&self.0, &session_id).await?.open_calls))
    }
}

/// Carries a begin to its end even if its caller gives up, so that the session is not left half written. The reply
/// that begins then is aborted, since nobody holds its stream.
async fn unbroken(
    begin: impl Future<Output = Result<ReplyStream, AgentError>> + Send + 'static,
) -> Result<ReplyStream, AgentError> {
    let begun = tokio::spawn(begin).await;
    begun.unwrap_or_else(|_| Err(AgentError::Write(Error::internal("the begin of the reply panicked"))))
}

/// The calls among these that wait for an answer.
fn waiting(open: &[OpenCall]) -> Vec<Pending> {
    open.iter()
        .filter(|open| awaits_answer(open.state))
        .map(|open| Pending {
            call: open.call.clone(),
            reason: open.reason.clone(),
            external: open.state == CallState::Submitted,
        })
        .collect()
}

/// Whether a call in this state waits for someone outside.
fn awaits_answer(state: CallState) -> bool {
    matches!(state, CallState::Asking | CallState::Submitted)
}

/// The session as far as it is stored.
async fn load(inner: &Inner, session_id: &str) -> Result<SessionData, AgentError> {
    Ok(inner.sessions.load(session_id.to_owned()).await?)
}
