//! Why a call into a guest ended without a result, in words for the operator.

use wasmtime::Trap;
use wasmtime::component::ResourceTableError;

use crate::policy::{Limits, STACK_BYTES, STACK_LIMIT};

use super::budget::LimitHit;
use super::store::GuestState;

/// What happened: the limit that was reached where there is one, else the trap, with what the guest said of it.
pub(super) fn explain(error: &wasmtime::Error, state: &mut GuestState) -> String {
    state.drain_output();
    if let Some(hit) = limit_hit(error, &state.layer.spec.limits) {
        return hit.to_string();
    }
    let trap = match error.downcast_ref::<Trap>() {
        Some(Trap::UnreachableCodeReached) => "the guest gave up (trap `unreachable`)".to_owned(),
        Some(trap) => format!("trap: {trap}"),
        None => plain(error),
    };
    match (state.budget.memory.hit(), &state.last_error) {
        (Some(hit), _) => format!("{hit}; {trap}"),
        (None, Some(said)) => format!("{trap}; it said: {said}"),
        (None, None) => trap,
    }
}

fn plain(error: &wasmtime::Error) -> String {
    match error.downcast_ref::<wasmtime_wasi::I32Exit>() {
        Some(exit) => format!("the guest ended itself with exit code {}", exit.0),
        None => error.root_cause().to_string(),
    }
}

/// The limit that an error stands for, whether it is the host's own or the engine's.
fn limit_hit(error: &wasmtime::Error, limits: &Limits) -> Option<LimitHit> {
    if let Some(hit) = error.downcast_ref::<LimitHit>() {
        return Some(hit.clone());
    }
    if let Some(Trap::StackOverflow) = error.downcast_ref::<Trap>() {
        return Some(past(STACK_LIMIT, STACK_BYTES, " bytes"));
    }
    if let Some(ResourceTableError::Full) = error.downcast_ref::<ResourceTableError>() {
        return Some(past("handles", limits.handles, ""));
    }
    // The engine has no types for its own two.
    match error.root_cause().to_string() {
        text if text.contains("store handle limit exceeded") => Some(past("handles", limits.handles, "")),
        text if text.contains("fuel allocated for hostcalls has been exhausted") => {
            Some(past("payload", limits.payload, " bytes"))
        }
        _ => None,
    }
}

/// A limit of which the engine says only that it was passed.
fn past(limit: &'static str, allowed: impl std::fmt::Display, unit: &str) -> LimitHit {
    LimitHit { limit, allowed: format!("{allowed}{unit}"), used: format!("over {allowed}{unit}") }
}
