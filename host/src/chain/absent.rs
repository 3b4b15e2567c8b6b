//! What stands in the place of a layer that was taken out, at the hooks that may not go on without it.

use std::sync::Arc;

use crate::error::{Failure, Fault};
use crate::event::{Event, EventKinds};
use crate::request::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionDecision,
    PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest,
    ToolResponse, Verdict,
};

use super::health::TakenOut;
use super::hook::{Acting, CheckPermission, CompressContext, HookKind, ModelCall, Reasoning, Reply};
use super::layer::{HookFuture, Layer};
use super::next::Next;
use super::sink::Sink;

/// Breaks at once at every hook, so that nothing of the layer runs and nothing goes by it.
pub(super) struct Absent {
    layer: String,
    out: TakenOut,
}

impl Absent {
    pub(super) fn new(layer: &str, out: TakenOut) -> Self {
        Self { layer: layer.to_owned(), out }
    }

    fn fault<T: Send + 'static>(&self, hook: HookKind) -> HookFuture<T> {
        let TakenOut { hook: at, faults, cause } = &self.out;
        let cause = format!(
            "it was taken out after {faults} faults in a row in hook `{}`, and waits to be swapped; the last: {cause}",
            at.name()
        );
        let fault = Fault { layer: self.layer.clone(), hook: hook.name(), cause };
        Box::pin(std::future::ready(Err(Failure::Fault(fault))))
    }
}

/// The onion hooks.
macro_rules! onion {
    ($($method:ident($request:ty) -> $response:ty, $hook:ident;)+) => {
        $(fn $method(self: Arc<Self>, _: $request, _: Next<$hook>, _: Sink) -> HookFuture<$response> {
            self.fault(HookKind::$hook)
        })+
    };
}

impl Layer for Absent {
    onion! {
        on_reply(ReplyRequest) -> ReplyResponse, Reply;
        on_reasoning(ReasoningRequest) -> ReasoningResponse, Reasoning;
        on_model_call(ModelRequest) -> ModelResponse, ModelCall;
        on_acting(ToolRequest) -> ToolResponse, Acting;
        on_compress_context(CompressRequest) -> CompressResponse, CompressContext;
        on_check_permission(PermissionRequest) -> PermissionDecision, CheckPermission;
    }

    fn on_system_prompt(self: Arc<Self>, _: String) -> HookFuture<String> {
        self.fault(HookKind::SystemPrompt)
    }

    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        self.fault(HookKind::Events)
    }

    fn on_events(self: Arc<Self>, _: Vec<Event>) -> HookFuture<Vec<Event>> {
        self.fault(HookKind::Events)
    }

    fn on_draft(self: Arc<Self>, _: Draft) -> HookFuture<Verdict> {
        self.fault(HookKind::Draft)
    }

    fn call_tool(self: Arc<Self>, _: ToolRequest, _: Sink) -> HookFuture<ToolResponse> {
        self.fault(HookKind::ToolSource)
    }
}
