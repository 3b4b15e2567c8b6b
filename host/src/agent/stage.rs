//! The stage: holds the lineup that new replies take, and knows those that running ones still have.

use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::lineup::{Fallback, Lineup, Seat};
use super::migrate::Undo;
use super::swap::{LayerStatus, LineupStatus, RollBack, SwapStatus};
use super::trial::Trial;

/// The active lineup and what became of the earlier ones.
pub(super) struct Stage {
    state: Mutex<State>,
    /// Held during a swap, so that swaps take turns. No reply waits for it.
    pub(super) swapping: tokio::sync::Mutex<()>,
    /// Held while migrated state is written or put back, and for nothing that takes longer.
    pub(super) writing: tokio::sync::Mutex<()>,
    /// The roll-backs whose state is not put back yet. The lineup that is active then waits for it.
    undoing: TaskTracker,
}

/// A roll-back that has happened, but for the state.
pub(super) struct WentBack {
    pub(super) why: RollBack,
    /// What is to be put back.
    pub(super) undo: Undo,
    /// New replies wait until this is dropped.
    pub(super) undoing: TaskTrackerToken,
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
        let undoing = TaskTracker::new();
        // So that it can be waited for; what comes later is tracked all the same.
        undoing.close();
        let (swapping, writing) = (tokio::sync::Mutex::default(), tokio::sync::Mutex::default());
        Self { state: Mutex::new(state), swapping, writing, undoing }
    }

    /// The active lineup.
    pub(super) fn active(&self) -> Arc<Lineup> {
        Arc::clone(&self.lock().active)
    }

    /// The active lineup once its state is as it left it.
    pub(super) async fn settled(&self) -> Arc<Lineup> {
        loop {
            self.undoing.wait().await;
            if let Some(lineup) = self.active_if_settled() {
                return lineup;
            }
        }
    }

    /// A seat in the active lineup, for a reply that begins. It waits until a roll-back has put state back.
    pub(super) async fn sit(&self) -> Seat {
        Seat::new(self.settled().await)
    }

    /// The active lineup, unless a roll-back has brought it whose state is not put back yet.
    fn active_if_settled(&self) -> Option<Arc<Lineup>> {
        let state = self.lock();
        self.undoing.is_empty().then(|| Arc::clone(&state.active))
    }

    /// The number of the next lineup.
    pub(super) fn next_generation(&self) -> u64 {
        self.lock().last_generation + 1
    }

    /// Gives new replies this lineup after `first`, and says so; does neither if `before` is no longer the active one.
    pub(super) fn activate(&self, before: &Arc<Lineup>, lineup: Lineup, first: impl FnOnce()) -> bool {
        let mut state = self.lock();
        if !Arc::ptr_eq(&state.active, before) {
            return false;
        }
        first();
        state.last_generation = lineup.generation;
        state.exchange(Arc::new(lineup));
        true
    }

    /// Gives new replies the lineup again that passed its trial last, and remembers why, which is made of the numbers
    /// of both lineups. `None` unless the trial is one of the active lineup.
    pub(super) fn go_back(
        &self,
        trial: &Arc<Trial>,
        why: impl FnOnce(u64, u64) -> RollBack,
    ) -> Option<WentBack> {
        // Before the exchange: who finds the earlier lineup active finds that its state is awaited, too.
        let undoing = self.undoing.token();
        let mut state = self.lock();
        if !state.active.is_tried_by(trial) {
            return None;
        }
        let Fallback { lineup, undo } = state.active.fallback().take()?;
        let why = why(state.active.generation, lineup.generation);
        state.rolled_back = Some(why.clone());
        state.exchange(lineup);
        Some(WentBack { why, undo, undoing })
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
        self.state.lock()
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
