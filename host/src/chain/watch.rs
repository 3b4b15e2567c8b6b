//! Watching how the calls of a layer end: what stands behind the trial of a swapped one.

use std::sync::Arc;

use crate::error::{ErrorKind, Failure};

use super::hook::HookKind;
use super::ledger::NoteKind;

/// Is told how each call of a layer ends. A call that is cancelled has no end.
///
/// Its reply waits for it, so nothing here may take time.
pub(crate) trait Watcher: Send + Sync {
    /// A call gave a value or an error.
    fn answered(&self, hook: HookKind);
    /// A call ended in a fault. Gives what was done about it, for the operator.
    fn faulted(self: Arc<Self>, hook: HookKind, cause: String) -> Option<NoteKind>;
}

/// How a call of a layer ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With a value, or an error of its own.
    Answered,
    /// With a fault, for this cause.
    Faulted(String),
    /// With the abort of its reply, which says nothing of the layer: one that hangs is cut off just so.
    CutOff,
}

impl Ending {
    pub(super) fn of<T>(result: &Result<T, Failure>) -> Self {
        match result {
            Err(Failure::Fault(fault)) => Self::Faulted(fault.cause.clone()),
            Err(Failure::Error(error)) if error.kind == ErrorKind::Aborted => Self::CutOff,
            _ => Self::Answered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, Fault};

    #[test]
    fn an_abort_proves_nothing() {
        let fault = Fault { layer: "x".to_owned(), hook: "on-reply", cause: "trap".to_owned() };
        for (result, ending) in [
            (Ok(()), Ending::Answered),
            (Err(Error::invalid("no").into()), Ending::Answered),
            (Err(Error::aborted().into()), Ending::CutOff),
            (Err(fault.into()), Ending::Faulted("trap".to_owned())),
        ] {
            assert_eq!(Ending::of(&result), ending);
        }
    }
}
