//! Values on their way between guest and host, as the one place sees them that every call of the host passes.

use wasmtime::component::{Resource, ResourceTable};

use super::bindings::cepa::middleware::{events, index, log, requests, state, types, workspace};

/// A value of the contract that a function takes or answers.
pub(super) trait Crossing: Sized {
    /// Whether a function with this answer may refuse.
    const REFUSABLE: bool = false;

    /// The answer of a function that refuses; `None` where it can't.
    fn refused(_error: types::Error) -> Option<Self> {
        None
    }

    /// Lets go of what the guest handed over with it, when nobody takes it.
    fn release(self, _table: &mut ResourceTable) {}
}

/// A value of no handles.
pub(super) trait Plain {}

impl<T: Plain> Crossing for T {}

/// What a guest lent stays its own.
impl<T: 'static> Crossing for Resource<T> {
    fn release(self, table: &mut ResourceTable) {
        if self.owned() {
            // One that isn't there has been let go of.
            let _ = table.delete(self);
        }
    }
}

impl Crossing for Vec<u8> {}

/// What a function answers that may refuse.
impl<T: Crossing> Crossing for Result<T, types::Error> {
    const REFUSABLE: bool = true;

    fn refused(error: types::Error) -> Option<Self> {
        Some(Err(error))
    }
}

impl<T: Plain> Plain for Vec<T> {}
impl<T: Plain> Plain for Option<T> {}
impl<A: Plain, B: Plain> Plain for (A, B) {}

macro_rules! plain {
    ($($ty:ty),+ $(,)?) => {
        $(impl Plain for $ty {})+
    };
}

plain!(
    (),
    bool,
    u16,
    u32,
    u64,
    f64,
    String,
    log::Level,
    state::Scope,
    workspace::Mount,
    workspace::Entry,
    index::Scope,
    index::Document,
    index::Hit,
    events::Event,
    events::EventKinds,
    requests::PermissionDecision,
    types::ContentBlock,
    types::Error,
    types::FinishReason,
    types::Message,
    types::Outcome,
    types::ResultPart,
    types::ToolCall,
    types::ToolChoice,
    types::ToolDefinition,
    types::ToolState,
    types::Usage,
);
