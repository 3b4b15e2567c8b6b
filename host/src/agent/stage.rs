//! The stage: holds the lineup that new replies take, and knows those that running ones still have.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::lineup::{Fallback, Lineup, Seat};
use super::swap::{LayerStatus, LineupStatus, RollBack, SwapStatus};
use super::trial::Trial;

/// The active lineup and what became of the earlier ones.
pub(super) struct Stage {
    state: Mutex<State>,
    /// Held during a swap or a roll-back, so that each sees what the one before left.
    pub(super) changing: tokio::sync::Mutex<()>,
}

struct State {
    active: Arc<Lineup>,
    /// Those that are not active and not freed yet.
    earlier: Vec<Weak<Lineup>>,
    last_generation: u64,
    rolled_back: Option<RollBack>,
}

impl Stage {
    pub(super) fn new(first: Lineup) -> Self {
        let last_generation = first.generation;
        let state =
            State { active: Arc::new(first), earlier: Vec::new(), last_generation, rolled_back: None };
        Self { state: Mutex::new(state), changing: tokio::sync::Mutex::default() }
    }

    /// The active lineup.
    pub(super) fn active(&self) -> Arc<Lineup> {
        Arc::clone(&self.lock().active)
    }

    /// A seat in the active lineup, for a reply that begins.
    pub(super) fn sit(&self) -> Seat {
        Seat::new(Arc::clone(&self.lock().active))
    }

    /// The number of the next lineup.
    pub(super) fn next_generation(&self) -> u64 {
        self.lock().last_generation + 1
    }

    /// Gives new replies this lineup.
    pub(super) fn activate(&self, lineup: Lineup) {
        let mut state = self.lock();
        state.last_generation = lineup.generation;
        state.exchange(Arc::new(lineup));
    }

    /// What comes back if this trial fails: nothing unless the trial is one of the active lineup.
    pub(super) fn fallback_for(&self, trial: &Arc<Trial>) -> Option<Fallback> {
        let state = self.lock();
        if state.active.is_tried_by(trial) { state.active.fallback().clone() } else { None }
    }

    /// Gives new replies an earlier lineup again, and remembers why.
    pub(super) fn go_back(&self, lineup: Arc<Lineup>, why: RollBack) {
        let mut state = self.lock();
        state.rolled_back = Some(why);
        state.exchange(lineup);
    }

    /// Lets go of what would come back, once the active lineup has passed its trials.
    pub(super) fn settle(&self) {
        let active = self.active();
        let gone = if active.has_passed() { active.fallback().take() } else { None };
        // Freed outside of every lock: a whole lineup goes with it.
        drop(gone);
    }

    /// What is active, and what is left of the earlier ones.
    pub(super) fn status(&self) -> SwapStatus {
        let (active, earlier, rolled_back) = {
            let state = self.lock();
            let earlier: Vec<_> = state.earlier.iter().filter_map(Weak::upgrade).collect();
            (Arc::clone(&state.active), earlier, state.rolled_back.clone())
        };
        let mut lineups = vec![status(&active, true)];
        lineups.extend(earlier.iter().map(|lineup| status(lineup, false)));
        SwapStatus { lineups, rolled_back }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn exchange(&mut self, lineup: Arc<Lineup>) {
        self.earlier.retain(|earlier| earlier.strong_count() > 0 && !is(earlier, &lineup));
        let before = std::mem::replace(&mut self.active, lineup);
        self.earlier.push(Arc::downgrade(&before));
    }
}

fn is(earlier: &Weak<Lineup>, lineup: &Arc<Lineup>) -> bool {
    std::ptr::eq(earlier.as_ptr(), Arc::as_ptr(lineup))
}

fn status(lineup: &Lineup, active: bool) -> LineupStatus {
    let layers = lineup.places.iter().map(|place| LayerStatus {
        name: place.name().to_owned(),
        version: place.entry.middleware.version().map(str::to_owned),
        on_trial: place.trial.as_ref().is_some_and(|trial| !trial.has_passed()),
    });
    LineupStatus {
        generation: lineup.generation,
        active,
        replies: lineup.replies(),
        layers: layers.collect(),
    }
}
