//! How an agent is put together.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::chain::ChainEntry;
use crate::index::Index;
use crate::model::Model;
use crate::session::{MemorySessions, SessionStore, StoreError};
use crate::telemetry::TelemetrySink;
use crate::tool::{Tool, ToolOwner, ToolProvider, Toolbox};
use crate::world::{RealWorld, World};

use super::Agent;
use super::error::BuildError;
use super::lanes::Lanes;
use super::lineup::Origin;
use super::permission::PermissionRules;
use super::ready::{Ready, Shared, check_names};
use super::sub_agents::Roster;

/// The bounds of one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) steps: u32,
    pub(super) draft_attempts: u32,
    pub(super) structured_attempts: u32,
}

/// Builds an [`Agent`].
pub struct AgentBuilder {
    pub(super) name: String,
    pub(super) system_prompt: Option<String>,
    pub(super) models: BTreeMap<String, Arc<dyn Model>>,
    pub(super) main: Option<String>,
    pub(super) parameters: Map<String, Value>,
    pub(super) entries: Vec<ChainEntry>,
    pub(super) toolbox: Toolbox,
    pub(super) tools: Vec<(ToolOwner, Arc<dyn Tool>)>,
    pub(super) providers: Vec<(ToolOwner, Arc<dyn ToolProvider>)>,
    sessions: Option<Arc<dyn SessionStore>>,
    index: Arc<Index>,
    telemetry: Option<Arc<dyn TelemetrySink>>,
    pub(super) permissions: PermissionRules,
    pub(super) bounds: Bounds,
    pub(super) trial_calls: u32,
    pub(super) origin: Option<Origin>,
    sub_agents: Vec<Self>,
    world: Option<Arc<dyn World>>,
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

impl AgentBuilder {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            system_prompt: None,
            models: BTreeMap::new(),
            main: None,
            parameters: Map::new(),
            entries: Vec::new(),
            toolbox: Toolbox::default(),
            tools: Vec::new(),
            providers: Vec::new(),
            sessions: None,
            index: Arc::default(),
            telemetry: None,
            permissions: PermissionRules::default(),
            bounds: Bounds { steps: 50, draft_attempts: 3, structured_attempts: 3 },
            trial_calls: 3,
            origin: None,
            sub_agents: Vec::new(),
            world: None,
        }
    }

    /// What the model is told first.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Adds a model by an alias. The first one answers unless [`AgentBuilder::main`] names another.
    #[must_use]
    pub fn model(mut self, alias: impl Into<String>, model: Arc<dyn Model>) -> Self {
        let alias = alias.into();
        self.main.get_or_insert_with(|| alias.clone());
        self.models.insert(alias, model);
        self
    }

    /// Says which model answers.
    #[must_use]
    pub fn main(mut self, alias: impl Into<String>) -> Self {
        self.main = Some(alias.into());
        self
    }

    /// Sets a parameter of every request to the main model, such as `temperature`.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// Adds a layer inside those before it: the first is outermost.
    #[must_use]
    pub fn middleware(mut self, entry: ChainEntry) -> Self {
        self.entries.push(entry);
        self
    }

    /// Takes the tools of a toolbox, before those that are added one by one.
    #[must_use]
    pub fn toolbox(mut self, toolbox: Toolbox) -> Self {
        self.toolbox = toolbox;
        self
    }

    /// Adds a tool of the embedding program.
    #[must_use]
    pub fn tool(self, tool: Arc<dyn Tool>) -> Self {
        self.tool_of(ToolOwner::Native, tool)
    }

    /// Adds a tool that someone else brings.
    #[must_use]
    pub fn tool_of(mut self, owner: ToolOwner, tool: Arc<dyn Tool>) -> Self {
        self.tools.push((owner, tool));
        self
    }

    /// Adds the tools of someone whose list may change. It is looked at again before each step.
    #[must_use]
    pub fn tools_of(mut self, owner: ToolOwner, provider: Arc<dyn ToolProvider>) -> Self {
        self.providers.push((owner, provider));
        self
    }

    /// Says where sessions are kept. In memory by default.
    #[must_use]
    pub fn sessions(mut self, sessions: Arc<dyn SessionStore>) -> Self {
        self.sessions = Some(sessions);
        self
    }

    /// Says where layers keep their documents. In memory by default.
    #[must_use]
    pub fn index(mut self, index: Arc<Index>) -> Self {
        self.index = index;
        self
    }

    /// Tells this one what layers measure, in all replies.
    #[must_use]
    pub fn telemetry(mut self, sink: Arc<dyn TelemetrySink>) -> Self {
        self.telemetry = Some(sink);
        self
    }

    /// Says which tool calls may run. All by default.
    #[must_use]
    pub fn permissions(mut self, rules: PermissionRules) -> Self {
        self.permissions = rules;
        self
    }

    /// How many steps a reply may take. 50 by default: room for long work, and an end to a model that goes in circles.
    #[must_use]
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.bounds.steps = steps;
        self
    }

    /// How many drafts of the final answer layers may see. 3 by default.
    #[must_use]
    pub fn max_draft_attempts(mut self, attempts: u32) -> Self {
        self.bounds.draft_attempts = attempts.max(1);
        self
    }

    /// How often the model may try to match the schema of a structured answer. 3 by default.
    #[must_use]
    pub fn max_structured_attempts(mut self, attempts: u32) -> Self {
        self.bounds.structured_attempts = attempts.max(1);
        self
    }

    /// How many first calls of one hook of a swapped layer must all break a rule for the swap to be taken back. 3 by
    /// default: one may be bad luck. 0 takes no swap back.
    #[must_use]
    pub fn trial_calls(mut self, calls: u32) -> Self {
        self.trial_calls = calls;
        self
    }

    /// Says what the layers were made from.
    #[must_use]
    pub(crate) fn origin(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Adds an agent that layers may run by its name, where they are granted it. It has models, tools, layers, rules and
    /// bounds of its own, is held to this one's rules as well, and takes sessions, documents, telemetry and the world of this one. Its own sub-agents are
    /// added as well.
    #[must_use]
    pub fn sub_agent(mut self, agent: Self) -> Self {
        self.sub_agents.push(agent);
        self
    }

    /// Takes time and chance from here.
    #[must_use]
    pub fn world(mut self, world: Arc<dyn World>) -> Self {
        self.world = Some(world);
        self
    }

    /// The agent. Asks each middleware for its tools, once.
    ///
    /// # Errors
    /// A missing model, two layers or two sub-agents of one name, or a tool that clashes with another or has no usable
    /// schema.
    pub async fn build(mut self) -> Result<Agent, BuildError> {
        let sessions = self.sessions.take().unwrap_or_else(|| Arc::new(MemorySessions::default()));
        self.build_before(async || Ok(sessions)).await
    }

    /// The same, and only once nothing else can fail its sessions are opened, in the place of those set before. So
    /// what can't be an agent leaves no session file behind.
    ///
    /// # Errors
    /// As for [`AgentBuilder::build`], and what `sessions` answers.
    pub async fn build_before(
        mut self,
        sessions: impl AsyncFnOnce() -> Result<Arc<dyn SessionStore>, StoreError>,
    ) -> Result<Agent, BuildError> {
        let subs = self.take_sub_agents();
        check_names(&self, &subs)?;
        let (index, telemetry) = (Arc::clone(&self.index), self.telemetry.clone());
        let world = self.world.take().unwrap_or_else(|| Arc::new(RealWorld::default()));
        let own = Ready::of(self).await?;
        let mut ready = Vec::with_capacity(subs.len());
        for sub in subs {
            ready.push(Ready::of(sub).await?);
        }
        let shared = Shared { sessions: sessions().await?, index, telemetry, world, lanes: Lanes::default() };
        let open = |sub: Ready| (sub.name.clone(), sub.open_sub(shared.clone(), own.rules()));
        let roster: Roster = ready.into_iter().map(open).collect();
        Ok(Agent(own.open(shared, roster)))
    }

    /// The sub-agents, and those that they had themselves.
    fn take_sub_agents(&mut self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut left = std::mem::take(&mut self.sub_agents);
        while let Some(mut sub) = left.pop() {
            left.append(&mut sub.sub_agents);
            all.push(sub);
        }
        all
    }
}
