//! Carries a layer's state over to another version: on a draft, so that a swap that comes to nothing changes nothing.

mod draft;
mod state_only;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::chain::{Ledger, Middleware, Note, ReplyContext};
use crate::error::Error;
use crate::services::{StatePlace, StateStore};

use super::Inner;
use super::lineup::{Lineup, Place, cause};
use super::swap::SwapError;
use draft::{Change, Draft};
use state_only::StateOnly;

/// How often a migration is tried when replies change the same state meanwhile.
const ATTEMPTS: u32 = 3;

/// How to put state back as it was before migrations: each value that they changed, as it was at first.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo(BTreeMap<(StatePlace, String), Option<String>>);

impl Undo {
    /// This, and what came later. However many migrations there were, each value is kept once.
    pub(super) fn then(mut self, later: Self) -> Self {
        for (at, value) in later.0 {
            self.0.entry(at).or_insert(value);
        }
        self
    }

    /// Puts everything back. Goes on after an error, and gives the first one.
    pub(super) async fn apply(&self, state: &dyn StateStore) -> Result<(), Error> {
        let mut result = Ok(());
        for ((place, key), value) in &self.0 {
            let put = match value {
                Some(value) => state.set(place.clone(), key.clone(), value.clone(), u64::MAX).await,
                None => state.delete(place.clone(), key.clone()).await.map(drop),
            };
            result = result.and(put);
        }
        result
    }
}

/// What the migrations of a swap came to.
#[derive(Debug, Default)]
pub(super) struct Migrated {
    pub(super) undo: Undo,
    /// What the layers said meanwhile.
    pub(super) notes: Vec<Note>,
}

/// Lets each layer whose version differs from the one before take over its state.
///
/// # Errors
/// The first layer's that could not; the state is then as before.
pub(super) async fn migrate(agent: &Inner, before: &Lineup, places: &[Place]) -> Result<Migrated, SwapError> {
    let mut migrated = Migrated::default();
    for place in places {
        let fresh = &place.entry.middleware;
        let Some(old) = before.named(fresh.name()).map(|place| &place.entry.middleware) else { continue };
        if old.version() == fresh.version() {
            continue;
        }
        if let Err(error) = migrate_one(agent, &**old, &**fresh, &mut migrated).await {
            put_back(agent, &migrated.undo).await;
            return Err(error);
        }
    }
    Ok(migrated)
}

/// Puts state back after a migration that came to nothing.
async fn put_back(agent: &Inner, undo: &Undo) {
    if let Err(error) = undo.apply(&*agent.sessions.state()).await {
        tracing::error!("what a migration changed could not be put back: {error}");
    }
}

async fn migrate_one(
    agent: &Inner,
    old: &dyn Middleware,
    fresh: &dyn Middleware,
    migrated: &mut Migrated,
) -> Result<(), SwapError> {
    let failed = |cause: String| SwapError::Migrate { layer: fresh.name().to_owned(), cause };
    let state = agent.sessions.state();
    for _ in 0..ATTEMPTS {
        let draft = Arc::new(Draft::new(Arc::clone(&state)));
        let ledger = Arc::new(Ledger::default());
        let context = ReplyContext::builder("", "")
            .agent_name(&agent.name)
            .services(Arc::new(StateOnly(Arc::clone(&draft) as Arc<dyn StateStore>)))
            .world(Arc::clone(&agent.world))
            .ledger(Arc::clone(&ledger))
            .build();
        let result = fresh.migrate(old.config().to_owned(), context).await;
        migrated.notes.extend(ledger.take_notes());
        result.map_err(|failure| failed(cause(failure)))?;
        let mut undo = Undo::default();
        match commit(&*state, draft.take(), &mut undo).await {
            Ok(true) => {
                migrated.undo = std::mem::take(&mut migrated.undo).then(undo);
                return Ok(());
            }
            Ok(false) => put_back(agent, &undo).await,
            Err(error) => {
                put_back(agent, &undo).await;
                return Err(failed(error.message));
            }
        }
    }
    Err(failed(format!("replies changed the same state in each of {ATTEMPTS} attempts; swap again")))
}

/// Writes what a migration wants, unless others changed a value since it was read: then `false`.
async fn commit(state: &dyn StateStore, changes: Vec<Change>, undo: &mut Undo) -> Result<bool, Error> {
    for Change { place, key, before, after, quota } in changes {
        if !state.compare_and_set(place.clone(), key.clone(), before.clone(), after, quota).await? {
            return Ok(false);
        }
        undo.0.insert((place, key), before);
    }
    Ok(true)
}
