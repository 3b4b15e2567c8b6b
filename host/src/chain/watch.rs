//! Watching how the calls of a layer end: what stands behind the trial of a swapped one.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::error::Failure;

use super::hook::HookKind;
use super::ledger::NoteKind;

/// Is told how each call of a layer ends. A call that is cancelled has no end.
pub(crate) trait Watcher: Send + Sync {
    /// A call gave a value or an error.
    fn answered(&self, hook: HookKind);
    /// A call ended in a fault. Gives what was done about it, for the operator.
    fn faulted(self: Arc<Self>, hook: HookKind, cause: String) -> BoxFuture<'static, Option<NoteKind>>;
}

/// The cause of a fault, if the call ended in one.
pub(super) fn fault_of<T>(result: &Result<T, Failure>) -> Option<String> {
    match result {
        Err(Failure::Fault(fault)) => Some(fault.cause.clone()),
        _ => None,
    }
}
