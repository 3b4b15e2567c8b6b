//! Where handles and imports come from: the host on wasm, the test rig elsewhere. Both have the same methods.

#[cfg(target_family = "wasm")]
pub use crate::bindings::cepa::middleware::{
    agents, clock, context, conversation, flow, http, index, log, models, random, requests, state, telemetry,
    tools, workspace,
};
#[cfg(not(target_family = "wasm"))]
pub use crate::native::{
    agents, clock, context, conversation, flow, http, index, log, models, random, requests, state, telemetry,
    tools, workspace,
};
