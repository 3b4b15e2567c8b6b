//! Agents that are checked and not opened yet: everything that can be wrong with them was found.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::index::Index;
use crate::model::Model;
use crate::session::SessionStore;
use crate::telemetry::TelemetrySink;
use crate::tool::Toolbox;
use crate::world::World;

use super::Inner;
use super::builder::{AgentBuilder, Bounds};
use super::error::BuildError;
use super::lanes::Lanes;
use super::lineup::{Lineup, assemble};
use super::permission::Ruling;
use super::stage::Stage;
use super::sub_agents::Roster;

/// What an agent has for itself alone.
pub(super) struct Ready {
    pub(super) name: String,
    system_prompt: Option<String>,
    models: BTreeMap<String, Arc<dyn Model>>,
    main: String,
    parameters: Map<String, Value>,
    tools: Toolbox,
    lineup: Lineup,
    trial_calls: u32,
    permissions: Arc<Ruling>,
    bounds: Bounds,
}

/// What an agent shares with its sub-agents.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) sessions: Arc<dyn SessionStore>,
    pub(super) index: Arc<Index>,
    pub(super) telemetry: Option<Arc<dyn TelemetrySink>>,
    pub(super) world: Arc<dyn World>,
    pub(super) lanes: Lanes,
}

impl Ready {
    /// Checks what a builder was told, and asks each middleware for its tools.
    pub(super) async fn of(builder: AgentBuilder) -> Result<Self, BuildError> {
        let main = builder.main.ok_or_else(|| BuildError::NoModel(builder.name.clone()))?;
        if !builder.models.contains_key(&main) {
            let known = builder.models.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(BuildError::UnknownModel { alias: main, known });
        }
        let mut tools = builder.toolbox;
        for (owner, tool) in builder.tools {
            tools.add(owner, tool)?;
        }
        for (owner, provider) in builder.providers {
            tools.follow(owner, provider).await?;
        }
        let (places, all) = assemble(tools.fork().await, builder.entries, None).await?;
        Ok(Self {
            name: builder.name,
            system_prompt: builder.system_prompt,
            models: builder.models,
            main,
            parameters: builder.parameters,
            tools,
            lineup: Lineup::first(places, all, builder.origin),
            trial_calls: builder.trial_calls,
            permissions: Arc::new(Ruling::new(builder.permissions)),
            bounds: builder.bounds,
        })
    }

    /// The rules that hold for this agent's tool calls, and for those of its sub-agents.
    pub(super) fn rules(&self) -> Arc<Ruling> {
        Arc::clone(&self.permissions)
    }

    /// The agent that others belong to.
    pub(super) fn open(self, shared: Shared, roster: Roster) -> Arc<Inner> {
        Arc::new(self.inner(shared, Arc::new(roster), None))
    }

    /// An agent that layers may run, under these rules besides its own.
    pub(super) fn open_sub(self, shared: Shared, rules: Arc<Ruling>) -> Arc<Inner> {
        Arc::new(self.inner(shared, Arc::default(), Some(rules)))
    }

    fn inner(self, shared: Shared, roster: Arc<Roster>, rules_around: Option<Arc<Ruling>>) -> Inner {
        Inner {
            name: self.name,
            system_prompt: self.system_prompt,
            models: self.models,
            main: self.main,
            parameters: self.parameters,
            tools: self.tools,
            stage: Stage::new(self.lineup),
            trial_calls: self.trial_calls,
            sessions: shared.sessions,
            index: shared.index,
            telemetry: shared.telemetry,
            permissions: self.permissions,
            rules_around,
            bounds: self.bounds,
            world: shared.world,
            lanes: shared.lanes,
            roster,
        }
    }
}

/// Refuses two sub-agents of one name, and two layers of one name wherever they stand: they would share their state.
pub(super) fn check_names(own: &AgentBuilder, subs: &[AgentBuilder]) -> Result<(), BuildError> {
    if let Some(twice) = repeated(subs.iter().map(|sub| sub.name.as_str())) {
        return Err(BuildError::DuplicateAgent(twice.to_owned()));
    }
    let entries = std::iter::once(own).chain(subs).flat_map(|builder| &builder.entries);
    match repeated(entries.map(|entry| entry.middleware.name())) {
        Some(twice) => Err(BuildError::DuplicateLayer(twice.to_owned())),
        None => Ok(()),
    }
}

/// The first name that was there before.
fn repeated<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut known = HashSet::new();
    names.find(|name| !known.insert(*name))
}
