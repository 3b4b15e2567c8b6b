//! Swapping the layers of a running agent: running replies end on what they began with, new ones take the new.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::chain::{ChainEntry, Note};
use crate::tool::Toolbox;

use super::Agent;
use super::error::BuildError;
use super::lineup::{Fallback, Lineup, Origin, Place, assemble};
use super::migrate::{Migrated, Undo, migrate};
use super::permission::PermissionRules;
use super::trial::Trial;

/// What comes along with layers.
#[derive(Default)]
pub(crate) struct Accompanying {
    /// What they were made from.
    pub(crate) origin: Option<Origin>,
    /// Other rules about tool calls. They are the operator's word and no layer's, so they stay after a roll-back.
    pub(crate) permissions: Option<PermissionRules>,
}

/// What a swap came to.
#[derive(Clone, Debug, Default)]
pub struct Swapped {
    /// The generation of layers that is active now.
    pub generation: u64,
    /// What layers said while they took over their state.
    pub notes: Vec<Note>,
}

/// Why layers could not be swapped. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SwapError {
    /// The layers and their tools don't fit together.
    #[error(transparent)]
    Layers(#[from] BuildError),
    /// A layer could not take over the state of its version before.
    #[error("layer `{layer}` could not take over the state of its version before: {cause}")]
    Migrate {
        /// The layer.
        layer: String,
        /// What happened.
        cause: String,
        /// What layers said while they tried.
        notes: Vec<Note>,
    },
    /// The task of the swap broke.
    #[error("the swap broke off: {0}")]
    Broken(String),
}

/// The generations of layers that are alive, and the last roll-back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SwapStatus {
    /// The active one, then those that are not freed yet: running replies have them, or they come back should a
    /// trial fail.
    pub lineups: Vec<LineupStatus>,
    /// The last swap that was taken back.
    pub rolled_back: Option<RollBack>,
}

/// One generation of layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LineupStatus {
    /// Its number: 1 for the layers that the agent began with, one more with each swap.
    pub generation: u64,
    /// Whether new replies take it.
    pub active: bool,
    /// The running replies that have it.
    pub replies: usize,
    /// Its layers, outermost first.
    pub layers: Vec<LayerStatus>,
}

/// A layer of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LayerStatus {
    /// Its name.
    pub name: String,
    /// The hash of its component.
    pub version: Option<String>,
    /// Whether it came by a swap and has not proven itself yet.
    pub on_trial: bool,
}

/// Why a swap was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RollBack {
    /// The generation that is gone.
    pub from: u64,
    /// The generation that is back.
    pub to: u64,
    /// The layer that broke a rule.
    pub layer: String,
    /// At which hook.
    pub hook: String,
    /// What happened in the last of its calls.
    pub cause: String,
}

impl fmt::Display for RollBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, layer, hook, cause } = self;
        write!(
            f,
            "the swap to generation {from} was taken back, and generation {to} is active again: all first calls of \
             `{hook}` of layer `{layer}` broke a rule, the last one with: {cause}"
        )
    }
}

impl Agent {
    /// Gives new replies these layers, outermost first, and the tools that they bring. Running replies end on the
    /// layers that they began with; a parked one takes the new ones when it is resumed.
    ///
    /// State stays with the layer's name. A layer whose version differs from the one before takes its state over
    /// first ([`Middleware::migrate`](crate::chain::Middleware::migrate)). Fresh layers are on trial: when their first
    /// calls break a rule, the layers before come back
    /// ([`AgentBuilder::trial_calls`](super::AgentBuilder::trial_calls)). A layer that was taken out and is the same as
    /// before stays out until [`Agent::put_back`]. Swaps take turns, and no reply waits for one.
    ///
    /// # Errors
    /// [`SwapError`]; the layers and their state are then as before.
    pub async fn swap(&self, layers: Vec<ChainEntry>) -> Result<Swapped, SwapError> {
        self.swap_with(layers, Accompanying::default()).await
    }

    /// The same, with what comes along.
    pub(crate) async fn swap_with(
        &self,
        layers: Vec<ChainEntry>,
        along: Accompanying,
    ) -> Result<Swapped, SwapError> {
        let agent = self.clone();
        // Carried to its end even if the caller gives up, so that no state is left half taken over.
        let swap = tokio::spawn(async move { agent.exchange(layers, along).await });
        swap.await.unwrap_or_else(|error| Err(SwapError::Broken(error.to_string())))
    }

    async fn exchange(&self, layers: Vec<ChainEntry>, along: Accompanying) -> Result<Swapped, SwapError> {
        let stage = &self.0.stage;
        let _turn = stage.swapping.lock().await;
        self.refuse_names_of_sub_agents(&layers)?;
        loop {
            let before = stage.settled().await;
            let toolbox = self.0.tools.fork().await;
            let fresh = assemble(toolbox, layers.clone(), Some(&before)).await?;
            // If a trial failed meanwhile, the layers that these were to follow are no longer active. Then they are not
            // taken up, and what became of their migrations is no matter: state was going back under them.
            match self.take_up(&before, fresh, &along).await {
                Ok(Some(swapped)) => return Ok(swapped),
                Err(error) if Arc::ptr_eq(&before, &stage.active()) => return Err(error),
                Ok(None) | Err(_) => {}
            }
        }
    }

    /// Carries state over to fresh layers, and gives them to new replies. `None` when those before are no longer active;
    /// the state is then as before.
    async fn take_up(
        &self,
        before: &Arc<Lineup>,
        (mut places, tools): (Vec<Place>, Toolbox),
        along: &Accompanying,
    ) -> Result<Option<Swapped>, SwapError> {
        let agent = &self.0;
        let Migrated { undo, notes, alone: _alone } = migrate(agent, before, &places).await?;

        // What has not passed its trial yet is nothing to come back to.
        let proven = before.fallback().clone();
        let mut fallback =
            proven.unwrap_or_else(|| Fallback { lineup: Arc::clone(before), undo: Undo::default() });
        fallback.undo = fallback.undo.then(undo.clone());
        for place in &mut places {
            place.trial = self.trial(place, before, &fallback.lineup);
        }
        let generation = agent.stage.next_generation();
        let lineup = Lineup::new(generation, places, tools, along.origin.clone(), Some(fallback));
        // Before the layers: no call of a new tool is decided by rules that don't know it.
        let rules = || {
            if let Some(rules) = &along.permissions {
                self.set_permissions(rules.clone());
            }
        };
        if !agent.stage.activate(before, lineup, rules) {
            undo.apply(&*agent.sessions.state()).await;
            return Ok(None);
        }
        agent.stage.settle();
        Ok(Some(Swapped { generation, notes }))
    }

    /// A layer with the name of a sub-agent's would share its state.
    fn refuse_names_of_sub_agents(&self, layers: &[ChainEntry]) -> Result<(), BuildError> {
        let theirs: Vec<_> = self.0.roster.values().map(|sub| sub.stage.active()).collect();
        let is_theirs = |name: &str| theirs.iter().any(|lineup| lineup.named(name).is_some());
        match layers.iter().find(|entry| is_theirs(entry.middleware.name())) {
            Some(twice) => Err(BuildError::DuplicateLayer(twice.middleware.name().to_owned())),
            None => Ok(()),
        }
    }

    /// The trial of a layer: none for one that has proven itself, and an open one goes on.
    fn trial(&self, place: &Place, before: &Lineup, proven: &Lineup) -> Option<Arc<Trial>> {
        let middleware = &place.entry.middleware;
        if self.0.trial_calls == 0 || proven.place_of(middleware).is_some() {
            return None;
        }
        let open = before.place_of(middleware).and_then(|place| place.trial.clone());
        // One that is taken out earlier would never end its trial.
        let calls = self.0.trial_calls.min(place.entry.health.max_faults());
        Some(open.unwrap_or_else(|| Trial::new(middleware.name(), calls, &self.0)))
    }

    /// What the active layers were made from.
    pub(crate) fn origin(&self) -> Option<Origin> {
        self.0.stage.active().origin.clone()
    }

    /// The generations of layers that are alive, and the last roll-back.
    pub fn swap_status(&self) -> SwapStatus {
        self.0.stage.status()
    }

    /// The generation of layers that new replies take: 1 at the start, one more with each swap.
    pub fn generation(&self) -> u64 {
        self.0.stage.active().generation
    }

    /// The names of the active layers, outermost first.
    pub fn layers(&self) -> Vec<String> {
        let active = self.0.stage.active();
        active.places.iter().map(|place| place.name().to_owned()).collect()
    }
}
