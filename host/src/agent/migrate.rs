//! Carries a layer's state over to another version: on a draft, so that a swap that comes to nothing changes nothing.

mod draft;
mod state_only;
mod undo;

use std::sync::Arc;

use tokio::sync::MutexGuard;

use crate::chain::{Ledger, Middleware, Note, ReplyContext};
use crate::error::Error;
use crate::services::StateStore;

use super::Inner;
use super::lineup::{Lineup, Place, cause};
use super::swap::SwapError;
use draft::{Change, Draft};
use state_only::StateOnly;

pub(super) use undo::Undo;

/// How often migrations are tried when replies change the same state meanwhile.
const ATTEMPTS: u32 = 3;

/// What the migrations of a swap came to. They are written.
pub(super) struct Migrated<'a> {
    pub(super) undo: Undo,
    /// What the layers said meanwhile.
    pub(super) notes: Vec<Note>,
    /// Until this is dropped, no roll-back puts state back.
    pub(super) alone: MutexGuard<'a, ()>,
}

/// What one layer wants otherwise.
struct Wanted {
    layer: String,
    changes: Vec<Change>,
    /// The quota of the version before.
    quota: u64,
}

/// A layer that could not take over its state, and why.
struct Failed {
    layer: String,
    cause: String,
}

/// Lets each layer whose version differs from the one before take over its state.
///
/// # Errors
/// The first layer's that could not, with what all have said; the state is then as before.
pub(super) async fn migrate<'a>(
    agent: &'a Inner,
    before: &Lineup,
    places: &[Place],
) -> Result<Migrated<'a>, SwapError> {
    let mut notes = Vec::new();
    match attempt(agent, before, places, &mut notes).await {
        Ok((undo, alone)) => Ok(Migrated { undo, notes, alone }),
        Err(Failed { layer, cause }) => Err(SwapError::Migrate { layer, cause, notes }),
    }
}

async fn attempt<'a>(
    agent: &'a Inner,
    before: &Lineup,
    places: &[Place],
    notes: &mut Vec<Note>,
) -> Result<(Undo, MutexGuard<'a, ()>), Failed> {
    let state = agent.sessions.state();
    let mut attempts = 0;
    loop {
        attempts += 1;
        // All of them before anything is written, which is then done within a moment.
        let wanted = want(agent, before, places, notes).await?;
        let alone = agent.stage.writing.lock().await;
        let mut undo = Undo::default();
        let disturbed = match write(&*state, wanted, &mut undo).await {
            Ok(None) => return Ok((undo, alone)),
            Ok(Some(layer)) => layer,
            Err(failed) => {
                undo.apply(&*state).await;
                return Err(failed);
            }
        };
        undo.apply(&*state).await;
        if attempts == ATTEMPTS {
            let cause = format!("replies changed the same state in each of {ATTEMPTS} attempts; swap again");
            return Err(Failed { layer: disturbed, cause });
        }
    }
}

/// What each layer wants otherwise whose version differs from the one before.
async fn want(
    agent: &Inner,
    before: &Lineup,
    places: &[Place],
    notes: &mut Vec<Note>,
) -> Result<Vec<Wanted>, Failed> {
    let mut wanted = Vec::new();
    for place in places {
        let fresh = &place.entry.middleware;
        let Some(old) = before.named(fresh.name()).map(|place| &place.entry.middleware) else { continue };
        if old.version() == fresh.version() {
            continue;
        }
        let layer = fresh.name().to_owned();
        match draft(agent, &**old, &**fresh, notes).await {
            Ok(changes) => wanted.push(Wanted { layer, changes, quota: old.state_quota() }),
            Err(cause) => return Err(Failed { layer, cause }),
        }
    }
    Ok(wanted)
}

/// Calls one migration on a draft.
async fn draft(
    agent: &Inner,
    old: &dyn Middleware,
    fresh: &dyn Middleware,
    notes: &mut Vec<Note>,
) -> Result<Vec<Change>, String> {
    let draft = Arc::new(Draft::new(agent.sessions.state()));
    let ledger = Arc::new(Ledger::default());
    let context = ReplyContext::builder("", "")
        .agent_name(&agent.name)
        .services(Arc::new(StateOnly(Arc::clone(&draft) as Arc<dyn StateStore>)))
        .world(Arc::clone(&agent.world))
        .ledger(Arc::clone(&ledger))
        .build();
    let result = fresh.migrate(old.config().to_owned(), context).await;
    notes.extend(ledger.take_notes());
    result.map_err(cause)?;
    Ok(draft.take())
}

/// Writes what is wanted, unless others changed a value since it was read: then it gives the layer whose value that is.
async fn write(
    state: &dyn StateStore,
    wanted: Vec<Wanted>,
    undo: &mut Undo,
) -> Result<Option<String>, Failed> {
    for Wanted { layer, changes, quota } in wanted {
        match write_one(state, changes, quota, undo).await {
            Ok(true) => {}
            Ok(false) => return Ok(Some(layer)),
            Err(error) => return Err(Failed { layer, cause: error.message }),
        }
    }
    Ok(None)
}

async fn write_one(
    state: &dyn StateStore,
    changes: Vec<Change>,
    quota_before: u64,
    undo: &mut Undo,
) -> Result<bool, Error> {
    for Change { place, key, before, after, quota } in changes {
        let written = state.compare_and_set(place.clone(), key.clone(), before.clone(), after.clone(), quota);
        if !written.await? {
            return Ok(false);
        }
        undo.wrote(place, key, before, after, quota_before);
    }
    Ok(true)
}
