//! A layer of one reply in its place, and what becomes of its faults.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Failure, Fault};

use super::absent::Absent;
use super::context::ReplyContext;
use super::health::Health;
use super::hook::HookKind;
use super::layer::{ChainEntry, Layer};
use super::ledger::NoteKind;
use super::on_fault::OnFault;
use super::watch::{Ending, Watcher};

/// A layer of this reply in its place.
#[derive(Clone)]
pub(super) struct Slot {
    pub(super) name: Arc<str>,
    pub(super) layer: Arc<dyn Layer>,
    pub(super) on_fault: OnFault,
    pub(super) next_runs_max: u32,
    pub(super) permits: bool,
    pub(super) health: Health,
    watcher: Option<Arc<dyn Watcher>>,
    /// Whether the layer was taken out before this reply.
    out: bool,
}

impl Slot {
    /// Opens an entry for a reply. One that was taken out is not opened, and the operator is told.
    pub(super) fn open(
        entry: &ChainEntry,
        watcher: Option<Arc<dyn Watcher>>,
        context: &Arc<ReplyContext>,
    ) -> Self {
        let name = entry.middleware.name();
        let out = entry.health.taken_out();
        let is_out = out.is_some();
        let layer: Arc<dyn Layer> = match out {
            None => entry.middleware.open(context),
            Some(out) => {
                let (hook, faults, cause) = (out.hook.name(), out.faults, out.cause.clone());
                context.ledger.note(name, NoteKind::Out { hook, faults, cause });
                Arc::new(Absent::new(name, out))
            }
        };
        Self {
            name: name.into(),
            layer,
            on_fault: entry.on_fault,
            next_runs_max: entry.next_runs_max,
            permits: entry.permits,
            health: entry.health.clone(),
            watcher: watcher.filter(|_| !is_out),
            out: is_out,
        }
    }

    /// Whether anything stands here at this hook. What was taken out leaves a gap where the chain may go on without it,
    /// and a closed door elsewhere.
    pub(super) fn stands_at(&self, hook: HookKind) -> bool {
        !(self.out && self.on_fault.skips(hook))
    }

    /// The fault of having answered what may not be answered.
    pub(super) fn bad_output(&self, hook: HookKind, cause: impl fmt::Display) -> Failure {
        let (layer, hook) = (self.name.to_string(), hook.name());
        Fault { layer, hook, cause: format!("bad output: {cause}") }.into()
    }

    /// Tells the layer's watcher, if there is one, how a call ended.
    pub(super) fn tell(&self, context: &ReplyContext, hook: HookKind, ending: Ending) {
        let Some(watcher) = &self.watcher else { return };
        match ending {
            Ending::CutOff => {}
            Ending::Answered => watcher.answered(hook),
            Ending::Faulted(cause) => {
                if let Some(done) = Arc::clone(watcher).faulted(hook, cause) {
                    context.ledger.note(&self.name, done);
                }
            }
        }
    }

    /// The layer answered this error. That it was cut off by an abort says nothing of it.
    pub(super) fn answered(&self, hook: HookKind, error: &Error) {
        if error.kind != ErrorKind::Aborted {
            self.health.sound(hook);
        }
    }

    /// The error that outer layers see. A fault's cause goes to the ledger alone.
    pub(super) fn fail(&self, context: &ReplyContext, hook: HookKind, failure: Failure) -> Error {
        match failure {
            Failure::Error(error) => {
                self.answered(hook, &error);
                error
            }
            Failure::Fault(Fault { cause, .. }) => {
                context.ledger.note(&self.name, NoteKind::Fault { hook: hook.name(), cause: cause.clone() });
                self.faulted(context, hook, &cause);
                Error::new(ErrorKind::Fault, format!("an inner layer failed in hook `{}`", hook.name()))
            }
        }
    }

    /// The chain goes on without the layer after a fault.
    pub(super) fn skipped(&self, context: &ReplyContext, hook: HookKind, cause: String) {
        context.ledger.note(&self.name, NoteKind::Skipped { hook: hook.name(), cause: cause.clone() });
        self.faulted(context, hook, &cause);
    }

    fn faulted(&self, context: &ReplyContext, hook: HookKind, cause: &str) {
        if self.out {
            return;
        }
        if let Some(out) = self.health.fault(hook, cause) {
            let (hook, faults, cause) = (hook.name(), out.faults, out.cause);
            tracing::warn!(
                "layer `{}` is taken out after {faults} faults in a row in `{hook}`: {cause}",
                self.name
            );
            context.ledger.note(&self.name, NoteKind::TakenOut { hook, faults, cause });
        }
    }
}

/// A layer's failure without what only the host says: that something else broke a rule, or that the reply was aborted.
/// `is_told` says whether the host told the layer so.
pub(super) fn in_own_words(failure: Failure, is_told: impl Fn(ErrorKind) -> bool) -> Failure {
    match failure {
        Failure::Error(error)
            if matches!(error.kind, ErrorKind::Aborted | ErrorKind::Fault) && !is_told(error.kind) =>
        {
            Failure::Error(Error { kind: ErrorKind::Other, ..error })
        }
        failure => failure,
    }
}
