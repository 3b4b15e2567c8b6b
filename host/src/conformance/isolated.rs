//! A middleware in another dress: with a fresh instance for every hook call, or as another version of itself.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::chain::{
    Acting, CheckPermission, CompressContext, HookFuture, HookSet, Layer, Middleware, ModelCall, Next,
    Reasoning, Reply, ReplyContext, Sink,
};
use crate::error::Failure;
use crate::event::{Event, EventKinds};
use crate::message::ToolDefinition;
use crate::request::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionDecision,
    PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest,
    ToolResponse, TurnSummary, Verdict,
};

/// How the component stands in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dress {
    /// As it is.
    Plain,
    /// Every hook call has an instance of its own, but those of `on-events`, whose instance lives as long as the reply.
    Isolated,
    /// As it is, but as another version.
    Older,
}

impl Dress {
    pub(super) fn put_on(self, middleware: Arc<dyn Middleware>) -> Arc<dyn Middleware> {
        match self {
            Self::Plain => middleware,
            Self::Isolated | Self::Older => Arc::new(Dressed { middleware, dress: self }),
        }
    }
}

struct Dressed {
    middleware: Arc<dyn Middleware>,
    dress: Dress,
}

impl Middleware for Dressed {
    fn name(&self) -> &str {
        self.middleware.name()
    }

    fn hooks(&self) -> HookSet {
        self.middleware.hooks()
    }

    fn open(&self, reply: &Arc<ReplyContext>) -> Arc<dyn Layer> {
        let layer = self.middleware.open(reply);
        if self.dress != Dress::Isolated {
            return layer;
        }
        let middleware = Arc::clone(&self.middleware);
        Arc::new(Isolated { middleware, reply: Arc::clone(reply), events: layer })
    }

    fn version(&self) -> Option<&str> {
        match self.dress {
            Dress::Older => Some("older"),
            Dress::Plain | Dress::Isolated => self.middleware.version(),
        }
    }

    fn config(&self) -> &str {
        self.middleware.config()
    }

    fn state_quota(&self) -> u64 {
        self.middleware.state_quota()
    }

    fn migrate(&self, from_config: String, context: Arc<ReplyContext>) -> BoxFuture<'_, Result<(), Failure>> {
        self.middleware.migrate(from_config, context)
    }

    fn list_tools(&self) -> BoxFuture<'_, Result<Vec<ToolDefinition>, Failure>> {
        self.middleware.list_tools()
    }
}

/// A layer that is opened anew for every hook call.
struct Isolated {
    middleware: Arc<dyn Middleware>,
    reply: Arc<ReplyContext>,
    /// The one that filters the stream.
    events: Arc<dyn Layer>,
}

impl Isolated {
    fn fresh(&self) -> Arc<dyn Layer> {
        self.middleware.open(&self.reply)
    }
}

impl Layer for Isolated {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        next: Next<Reply>,
        out: Sink,
    ) -> HookFuture<ReplyResponse> {
        self.fresh().on_reply(request, next, out)
    }

    fn on_reasoning(
        self: Arc<Self>,
        request: ReasoningRequest,
        next: Next<Reasoning>,
        out: Sink,
    ) -> HookFuture<ReasoningResponse> {
        self.fresh().on_reasoning(request, next, out)
    }

    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        next: Next<ModelCall>,
        out: Sink,
    ) -> HookFuture<ModelResponse> {
        self.fresh().on_model_call(request, next, out)
    }

    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        next: Next<Acting>,
        out: Sink,
    ) -> HookFuture<ToolResponse> {
        self.fresh().on_acting(request, next, out)
    }

    fn on_compress_context(
        self: Arc<Self>,
        request: CompressRequest,
        next: Next<CompressContext>,
        out: Sink,
    ) -> HookFuture<CompressResponse> {
        self.fresh().on_compress_context(request, next, out)
    }

    fn on_check_permission(
        self: Arc<Self>,
        request: PermissionRequest,
        next: Next<CheckPermission>,
        out: Sink,
    ) -> HookFuture<PermissionDecision> {
        self.fresh().on_check_permission(request, next, out)
    }

    fn on_system_prompt(self: Arc<Self>, prompt: String) -> HookFuture<String> {
        self.fresh().on_system_prompt(prompt)
    }

    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Arc::clone(&self.events).event_kinds()
    }

    fn on_events(self: Arc<Self>, events: Vec<Event>) -> HookFuture<Vec<Event>> {
        Arc::clone(&self.events).on_events(events)
    }

    fn on_draft(self: Arc<Self>, draft: Draft) -> HookFuture<Verdict> {
        self.fresh().on_draft(draft)
    }

    fn call_tool(self: Arc<Self>, request: ToolRequest, out: Sink) -> HookFuture<ToolResponse> {
        self.fresh().call_tool(request, out)
    }

    fn on_turn_end(self: Arc<Self>, turn: TurnSummary) -> HookFuture<()> {
        self.fresh().on_turn_end(turn)
    }
}
