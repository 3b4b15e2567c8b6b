//! A lineup: the layers and tools that a reply has, the same from its begin to its end.

use std::any::Any;
use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, MutexGuard};

use crate::chain::{Chain, ChainEntry, HookKind, Middleware, ReplyContext, Watcher};
use crate::error::Failure;
use crate::message::ToolDefinition;
use crate::tool::{ToolOwner, Toolbox};

use super::error::BuildError;
use super::layer_tool::LayerTool;
use super::migrate::Undo;
use super::trial::Trial;

/// What a lineup was made from, for the one who made it. The agent carries it along and never looks at it.
pub(crate) type Origin = Arc<dyn Any + Send + Sync>;

/// The layers of an agent, outermost first, and all its tools.
pub(super) struct Lineup {
    /// Which one it is: 1 for the one that the agent was built with.
    pub(super) generation: u64,
    pub(super) places: Vec<Place>,
    pub(super) tools: Toolbox,
    pub(super) origin: Option<Origin>,
    /// What comes back when this lineup does not pass its trial; `None` once it has.
    fallback: Mutex<Option<Fallback>>,
    replies: AtomicUsize,
}

/// A layer of a lineup.
pub(super) struct Place {
    pub(super) entry: ChainEntry,
    /// The tools that it brings.
    tools: Vec<ToolDefinition>,
    pub(super) trial: Option<Arc<Trial>>,
}

impl Place {
    /// The layer's name.
    pub(super) fn name(&self) -> &str {
        self.entry.middleware.name()
    }
}

/// The lineup that passed its trial last, and how to put back what migrations have changed since.
#[derive(Clone)]
pub(super) struct Fallback {
    pub(super) lineup: Arc<Lineup>,
    pub(super) undo: Undo,
}

impl Lineup {
    /// The lineup of an agent that begins.
    pub(super) fn first(places: Vec<Place>, tools: Toolbox, origin: Option<Origin>) -> Self {
        Self::new(1, places, tools, origin, None)
    }

    pub(super) fn new(
        generation: u64,
        places: Vec<Place>,
        tools: Toolbox,
        origin: Option<Origin>,
        fallback: Option<Fallback>,
    ) -> Self {
        let (fallback, replies) = (Mutex::new(fallback), AtomicUsize::new(0));
        Self { generation, places, tools, origin, fallback, replies }
    }

    /// Opens the chain of one reply.
    pub(super) fn open(&self, context: Arc<ReplyContext>) -> Chain {
        let places = self.places.iter().map(|place| {
            let watcher = place.trial.clone().map(|trial| trial as Arc<dyn Watcher>);
            (&place.entry, watcher)
        });
        Chain::watched(places, context)
    }

    /// The place of the layer with this name.
    pub(super) fn named(&self, name: &str) -> Option<&Place> {
        self.places.iter().find(|place| place.name() == name)
    }

    /// The place of this very middleware.
    pub(super) fn place_of(&self, middleware: &Arc<dyn Middleware>) -> Option<&Place> {
        self.places.iter().find(|place| Arc::ptr_eq(&place.entry.middleware, middleware))
    }

    /// Whether this trial is one of its own.
    pub(super) fn is_tried_by(&self, trial: &Arc<Trial>) -> bool {
        self.places.iter().any(|place| place.trial.as_ref().is_some_and(|own| Arc::ptr_eq(own, trial)))
    }

    /// Whether each swapped layer has passed its trial.
    pub(super) fn has_passed(&self) -> bool {
        self.places.iter().all(|place| place.trial.as_ref().is_none_or(|trial| trial.has_passed()))
    }

    pub(super) fn fallback(&self) -> MutexGuard<'_, Option<Fallback>> {
        self.fallback.lock()
    }

    /// How many running replies have it.
    pub(super) fn replies(&self) -> usize {
        self.replies.load(Ordering::SeqCst)
    }
}

/// A reply's hold on its lineup, which lives as long as this does.
pub(super) struct Seat(Arc<Lineup>);

impl Seat {
    pub(super) fn new(lineup: Arc<Lineup>) -> Self {
        lineup.replies.fetch_add(1, Ordering::SeqCst);
        Self(lineup)
    }

    /// The lineup, for what may outlive the reply a little.
    pub(super) fn lineup(&self) -> Arc<Lineup> {
        Arc::clone(&self.0)
    }
}

impl Deref for Seat {
    type Target = Lineup;

    fn deref(&self) -> &Lineup {
        &self.0
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.replies.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Puts layers and tools together: each layer has a name of its own, and each tool too. Those of the layers come last.
///
/// Layers that `before` has as well are not asked for their tools again.
pub(super) async fn assemble(
    mut toolbox: Toolbox,
    entries: Vec<ChainEntry>,
    before: Option<&Lineup>,
) -> Result<(Vec<Place>, Toolbox), BuildError> {
    let mut names = HashSet::new();
    if let Some(twice) = entries.iter().find(|entry| !names.insert(entry.middleware.name())) {
        return Err(BuildError::DuplicateLayer(twice.middleware.name().to_owned()));
    }
    let mut places = Vec::with_capacity(entries.len());
    for entry in entries {
        let tools = match before.and_then(|before| before.place_of(&entry.middleware)) {
            Some(place) => place.tools.clone(),
            None => list_tools(&*entry.middleware).await?,
        };
        for definition in &tools {
            let owner = ToolOwner::Middleware(entry.middleware.name().to_owned());
            toolbox.add(owner, Arc::new(LayerTool(definition.clone())))?;
        }
        places.push(Place { entry, tools, trial: None });
    }
    Ok((places, toolbox))
}

async fn list_tools(middleware: &dyn Middleware) -> Result<Vec<ToolDefinition>, BuildError> {
    if !middleware.hooks().contains(HookKind::ToolSource) {
        return Ok(Vec::new());
    }
    middleware.list_tools().await.map_err(|failure| BuildError::ListTools {
        layer: middleware.name().to_owned(),
        cause: cause(failure),
    })
}

/// What happened, for the operator.
pub(super) fn cause(failure: Failure) -> String {
    match failure {
        Failure::Error(error) => error.message,
        Failure::Fault(fault) => fault.cause,
    }
}
