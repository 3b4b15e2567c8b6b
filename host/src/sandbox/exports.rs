//! The exports of a guest, as the contract has them: one function for each, which all calls of it pass.

use serde_json::value::RawValue;
use wasmtime::component::Resource;

use crate::request::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionRequest,
    ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest, ToolResponse, TurnSummary,
};

use super::bindings::cepa::middleware::{events, requests, types};
use super::bindings::{CompressNext, ModelNext, PermissionNext, ReasoningNext, ReplyNext, ToolNext};
use super::crossing::{Crossing, Shown};
use super::flow::SinkHandle;
use super::hooks::hook_guest;
use super::instance::GuestInstance;

/// What an export answers that may fail.
type Answer<T> = Result<T, types::Error>;

/// A function for each export, and one that finds them by name. What the engine is passed stands in brackets.
macro_rules! exports {
    ($(
        $export:literal: fn $name:ident($($argument:ident: $ty:ty),*) -> $answer:ty = $hook:ident.$call:ident[$($passed:expr),*];
    )+) => {
        $(pub(super) async fn $name(guest: &mut GuestInstance, $($argument: $ty),*) -> wasmtime::Result<$answer> {
            enter(guest, $export, &[$((stringify!($argument), &$argument as &dyn Shown)),*]);
            let hook = hook_guest!(guest, $hook);
            let answer = hook.$call(&mut guest.store, $($passed),*).await?;
            leave(guest, &answer);
            Ok(answer)
        })+

        /// Calls an export with arguments that were recorded.
        ///
        /// # Errors
        /// When there is no such export, or these are no arguments of it.
        pub(super) async fn call_recorded(
            guest: &mut GuestInstance,
            export: &str,
            arguments: &[Box<RawValue>],
        ) -> Result<wasmtime::Result<()>, String> {
            let mut arguments = arguments.iter().map(AsRef::as_ref);
            match export {
                $($export => {
                    $(let $argument: $ty = read(arguments.next(), stringify!($argument))?;)*
                    Ok($name(guest, $($argument),*).await.map(drop))
                })+
                _ => Err(format!("the contract has no export `{export}`")),
            }
        }
    };
}

exports! {
    "on-reply.handle":
        fn on_reply(request: Resource<ReplyRequest>, next: Resource<ReplyNext>, out: Resource<SinkHandle>)
            -> Answer<Resource<ReplyResponse>> = on_reply.call_handle[request, next, out];
    "on-reasoning.handle":
        fn on_reasoning(request: Resource<ReasoningRequest>, next: Resource<ReasoningNext>, out: Resource<SinkHandle>)
            -> Answer<Resource<ReasoningResponse>> = on_reasoning.call_handle[request, next, out];
    "on-model-call.handle":
        fn on_model_call(request: Resource<ModelRequest>, next: Resource<ModelNext>, out: Resource<SinkHandle>)
            -> Answer<Resource<ModelResponse>> = on_model_call.call_handle[request, next, out];
    "on-acting.handle":
        fn on_acting(request: Resource<ToolRequest>, next: Resource<ToolNext>, out: Resource<SinkHandle>)
            -> Answer<Resource<ToolResponse>> = on_acting.call_handle[request, next, out];
    "on-compress-context.handle":
        fn on_compress_context(request: Resource<CompressRequest>, next: Resource<CompressNext>, out: Resource<SinkHandle>)
            -> Answer<Resource<CompressResponse>> = on_compress_context.call_handle[request, next, out];
    "on-check-permission.handle":
        fn on_check_permission(request: Resource<PermissionRequest>, next: Resource<PermissionNext>)
            -> Answer<requests::PermissionDecision> = on_check_permission.call_handle[request, next];
    "on-system-prompt.transform":
        fn on_system_prompt(prompt: String) -> Answer<String> = on_system_prompt.call_transform[&prompt];
    "on-events.kinds":
        fn event_kinds() -> events::EventKinds = on_events.call_kinds[];
    "on-events.transform":
        fn on_events(events: Vec<events::Event>) -> Answer<Vec<events::Event>> = on_events.call_transform[&events];
    "on-draft.review":
        fn on_draft(draft: Resource<Draft>) -> Answer<requests::Verdict> = on_draft.call_review[draft];
    "tool-source.list-tools":
        fn list_tools() -> Answer<Vec<types::ToolDefinition>> = tool_source.call_list_tools[];
    "tool-source.call-tool":
        fn call_tool(request: Resource<ToolRequest>, out: Resource<SinkHandle>)
            -> Answer<Resource<ToolResponse>> = tool_source.call_call_tool[request, out];
    "on-turn-end.observe":
        fn on_turn_end(turn: Resource<TurnSummary>) -> () = on_turn_end.call_observe[turn];
    "migrate-state.migrate":
        fn migrate(from_config: String) -> Answer<()> = migrate_state.call_migrate[&from_config];
}

fn enter(guest: &mut GuestInstance, export: &'static str, arguments: super::recording::Arguments<'_>) {
    if let Some(seam) = &mut guest.store.data_mut().seam {
        seam.enter(export, arguments);
    }
}

fn leave(guest: &mut GuestInstance, answer: &dyn Shown) {
    if let Some(seam) = &mut guest.store.data_mut().seam {
        seam.leave(answer);
    }
}

/// A recorded argument.
fn read<T: Crossing>(argument: Option<&RawValue>, name: &str) -> Result<T, String> {
    let argument = argument.ok_or_else(|| format!("the argument `{name}` is missing"))?;
    T::read(argument).map_err(|error| format!("the argument `{name}` is not one of the contract: {error}"))
}
