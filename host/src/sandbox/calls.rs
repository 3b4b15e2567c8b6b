//! The calls into a guest, one function for each export: handles in, the answer out.

use futures::future::BoxFuture;
use wasmtime::component::Resource;

use crate::chain::{Acting, CheckPermission, CompressContext, Hook, ModelCall, Next, Reasoning, Reply, Sink};
use crate::event::{Event, EventKinds};
use crate::request::{Draft, PermissionDecision, PermissionRequest, ToolRequest, ToolResponse, TurnSummary};

use super::bindings::cepa::middleware::{events, requests, types};
use super::convert::{error_to_guest, event_to_guest, kinds_from_guest, permission_from_guest};
use super::exports;
use super::flow::{CallHandles, NextHandle, SinkHandle};
use super::instance::GuestInstance;
use super::store::GuestState;
use super::weight::Weight;

/// What a guest's export gave: a value, an error value, or an end without either.
pub(super) type Answer<T> = wasmtime::Result<Result<T, types::Error>>;

/// An onion hook whose exported `handle` takes request, `next` and sink, and answers with a response handle.
pub(super) trait GuestHook: Hook {
    fn enter(
        guest: &mut GuestInstance,
        request: Resource<Self::Request>,
        next: Resource<NextHandle<Self>>,
        out: Resource<SinkHandle>,
    ) -> BoxFuture<'_, Answer<Resource<Self::Response>>>;
}

macro_rules! guest_hook {
    ($hook:ty, $field:ident) => {
        impl GuestHook for $hook {
            fn enter(
                guest: &mut GuestInstance,
                request: Resource<Self::Request>,
                next: Resource<NextHandle<Self>>,
                out: Resource<SinkHandle>,
            ) -> BoxFuture<'_, Answer<Resource<Self::Response>>> {
                Box::pin(exports::$field(guest, request, next, out))
            }
        }
    };
}

guest_hook!(Reply, on_reply);
guest_hook!(Reasoning, on_reasoning);
guest_hook!(ModelCall, on_model_call);
guest_hook!(Acting, on_acting);
guest_hook!(CompressContext, on_compress_context);

pub(super) async fn call_onion<H: GuestHook>(
    guest: &mut GuestInstance,
    request: H::Request,
    next: Next<H>,
    out: Sink,
) -> Answer<H::Response> {
    let state = guest.store.data_mut();
    let request = state.give(request)?;
    let mut handles = CallHandles::new();
    let next = handles.give_next(state, next)?;
    let out = handles.give_sink(state, out)?;
    let answer = H::enter(guest, request, next, out).await?;
    let state = guest.store.data_mut();
    handles.close(state);
    taken(state, answer)
}

/// What the guest is given in a call of an export.
fn given<T: Weight>(guest: &mut GuestInstance, value: T) -> wasmtime::Result<T> {
    guest.store.data_mut().budget.copy(value.weight())?;
    Ok(value)
}

/// What the guest answers.
fn answered<T: Weight>(guest: &mut GuestInstance, value: T) -> wasmtime::Result<T> {
    guest.store.data_mut().budget.copy(value.held())?;
    Ok(value)
}

/// The response behind the handle that a guest answered with.
fn taken<T: 'static>(state: &mut GuestState, answer: Result<Resource<T>, types::Error>) -> Answer<T> {
    state.budget.copy(answer.weight())?;
    match answer {
        Ok(response) => {
            let unreadable = state.unreadable.take(response.rep());
            let response = state.table.delete(response)?;
            Ok(unreadable.map_or(Ok(response), |error| Err(error_to_guest(error))))
        }
        Err(error) => Ok(Err(error)),
    }
}

pub(super) async fn call_permission(
    guest: &mut GuestInstance,
    request: PermissionRequest,
    next: Next<CheckPermission>,
) -> Answer<PermissionDecision> {
    let state = guest.store.data_mut();
    let request = state.give(request)?;
    let mut handles = CallHandles::new();
    let next = handles.give_next(state, next)?;
    let answer = exports::on_check_permission(guest, request, next).await?;
    handles.close(guest.store.data_mut());
    Ok(answered(guest, answer)?.map(permission_from_guest))
}

pub(super) async fn call_list_tools(guest: &mut GuestInstance) -> Answer<Vec<types::ToolDefinition>> {
    let answer = exports::list_tools(guest).await?;
    answered(guest, answer)
}

pub(super) async fn call_tool(
    guest: &mut GuestInstance,
    request: ToolRequest,
    out: Sink,
) -> Answer<ToolResponse> {
    let state = guest.store.data_mut();
    let request = state.give(request)?;
    // A tool is what is innermost of `on-acting`: it has no `next`.
    let mut handles = CallHandles::<Acting>::new();
    let out = handles.give_sink(state, out)?;
    let answer = exports::call_tool(guest, request, out).await?;
    let state = guest.store.data_mut();
    handles.close(state);
    taken(state, answer)
}

pub(super) async fn call_system_prompt(guest: &mut GuestInstance, prompt: String) -> Answer<String> {
    let prompt = given(guest, prompt)?;
    let answer = exports::on_system_prompt(guest, prompt).await?;
    answered(guest, answer)
}

pub(super) async fn call_review(guest: &mut GuestInstance, draft: Draft) -> Answer<requests::Verdict> {
    let draft = guest.store.data_mut().give(draft)?;
    let answer = exports::on_draft(guest, draft).await?;
    answered(guest, answer)
}

pub(super) async fn call_turn_end(guest: &mut GuestInstance, turn: TurnSummary) -> wasmtime::Result<()> {
    let turn = guest.store.data_mut().give(turn)?;
    exports::on_turn_end(guest, turn).await
}

pub(super) async fn call_migrate(guest: &mut GuestInstance, from_config: String) -> Answer<()> {
    let from_config = given(guest, from_config)?;
    let answer = exports::migrate(guest, from_config).await?;
    answered(guest, answer)
}

pub(super) async fn call_event_kinds(guest: &mut GuestInstance) -> wasmtime::Result<EventKinds> {
    let kinds = exports::event_kinds(guest).await?;
    Ok(kinds_from_guest(kinds))
}

pub(super) async fn call_events(guest: &mut GuestInstance, events: Vec<Event>) -> Answer<Vec<events::Event>> {
    let events = given(guest, events.into_iter().map(event_to_guest).collect::<Vec<_>>())?;
    let answer = exports::on_events(guest, events).await?;
    if let Ok(events) = &answer {
        guest.store.data_mut().budget.emit(events)?;
    }
    answered(guest, answer)
}
