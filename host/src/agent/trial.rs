//! The trial of a swapped layer: when all its first calls of a hook break a rule, the swap is taken back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};

use crate::chain::{HookKind, NoteKind, Watcher};

use super::Inner;
use super::stage::WentBack;
use super::swap::RollBack;

/// The first calls of a layer that came by a swap.
///
/// It ends well once the layer was called as often as `calls` says, and each hook called meanwhile has answered once.
pub(super) struct Trial {
    layer: String,
    calls: u32,
    agent: Weak<Inner>,
    over: AtomicBool,
    record: Mutex<Record>,
}

#[derive(Default)]
struct Record {
    calls: u32,
    /// The faults of each hook that was called; `None` once it has answered.
    hooks: BTreeMap<HookKind, Option<u32>>,
    passed: bool,
}

/// What a call means for the trial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Open,
    Passed,
    Failed,
}

impl Trial {
    /// A trial of this many calls, at least one.
    pub(super) fn new(layer: &str, calls: u32, agent: &Arc<Inner>) -> Arc<Self> {
        Arc::new(Self {
            layer: layer.to_owned(),
            calls,
            agent: Arc::downgrade(agent),
            over: AtomicBool::new(false),
            record: Mutex::default(),
        })
    }

    /// Whether it has ended well.
    pub(super) fn has_passed(&self) -> bool {
        self.record().passed
    }

    /// Counts a call, unless the trial is over.
    fn count(&self, hook: HookKind, fault: bool) -> Verdict {
        let mut record = self.record();
        if self.over.load(Ordering::SeqCst) {
            return Verdict::Open;
        }
        let verdict = record.count(hook, fault, self.calls);
        record.passed = verdict == Verdict::Passed;
        self.over.store(verdict != Verdict::Open, Ordering::SeqCst);
        verdict
    }

    fn settle(&self) {
        if let Some(agent) = self.agent.upgrade() {
            agent.stage.settle();
        }
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock()
    }
}

impl Record {
    fn count(&mut self, hook: HookKind, fault: bool, wanted: u32) -> Verdict {
        self.calls = self.calls.saturating_add(1);
        let faults = self.hooks.entry(hook).or_insert(Some(0));
        match faults {
            Some(count) if fault => {
                *count += 1;
                if *count >= wanted {
                    return Verdict::Failed;
                }
            }
            _ => *faults = None,
        }
        let passed = self.calls >= wanted && self.hooks.values().all(Option::is_none);
        if passed { Verdict::Passed } else { Verdict::Open }
    }
}

impl Watcher for Trial {
    fn answered(&self, hook: HookKind) {
        // Once it is over, this is all that a call costs.
        if !self.over.load(Ordering::SeqCst) && self.count(hook, false) == Verdict::Passed {
            self.settle();
        }
    }

    fn faulted(self: Arc<Self>, hook: HookKind, cause: String) -> Option<NoteKind> {
        match self.count(hook, true) {
            Verdict::Failed => roll_back(self.agent.upgrade()?, &self, hook, cause),
            Verdict::Passed => {
                self.settle();
                None
            }
            Verdict::Open => None,
        }
    }
}

/// Brings back the lineup that passed its trial last, if the one on trial is still active. State follows on a task of
/// its own, so that the reply that this happens in waits for nothing.
fn roll_back(agent: Arc<Inner>, trial: &Arc<Trial>, hook: HookKind, cause: String) -> Option<NoteKind> {
    let why = |from, to| RollBack {
        from,
        to,
        layer: trial.layer.clone(),
        hook: hook.name().to_owned(),
        cause: cause.clone(),
    };
    let WentBack { why, undo, undoing } = agent.stage.go_back(trial, why)?;
    tracing::warn!("{why}");
    if !undo.is_empty() {
        tokio::spawn(async move {
            let _undoing = undoing;
            let _alone = agent.stage.writing.lock().await;
            undo.apply(&*agent.sessions.state()).await;
        });
    }
    Some(NoteKind::RolledBack { hook: hook.name(), cause, from: why.from, to: why.to })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a trial of three calls comes to: `hook` answers (`+`) or faults (`-`).
    fn verdict(calls: &[(HookKind, char)]) -> Verdict {
        let mut record = Record::default();
        let mut verdicts = calls.iter().map(|(hook, how)| record.count(*hook, *how == '-', 3));
        verdicts.find(|verdict| *verdict != Verdict::Open).unwrap_or(Verdict::Open)
    }

    #[test]
    fn all_first_calls_of_one_hook_must_fault() {
        use HookKind::{ModelCall as M, SystemPrompt as S};
        let is = |calls: &[(HookKind, char)], wanted: Verdict| assert!(verdict(calls) == wanted, "{calls:?}");
        is(&[(M, '-'), (M, '-')], Verdict::Open);
        is(&[(M, '-'), (M, '-'), (M, '-')], Verdict::Failed);
        is(&[(M, '-'), (M, '+'), (M, '-')], Verdict::Passed);
        is(&[(S, '+'), (M, '-'), (S, '+'), (M, '-'), (S, '+'), (M, '-')], Verdict::Failed);
        is(&[(S, '+'), (M, '-'), (S, '+')], Verdict::Open);
        is(&[(S, '+'), (M, '-'), (S, '+'), (M, '+')], Verdict::Passed);
        is(&[(S, '+'), (S, '+')], Verdict::Open);
    }
}
