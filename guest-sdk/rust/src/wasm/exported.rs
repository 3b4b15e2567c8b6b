//! Maps each generated export to its hook trait.

use std::marker::PhantomData;

use super::{Instance, hooks};
use crate::bindings::cepa::middleware::log::{Level, write};
use crate::{
    CompressNext, CompressRequest, CompressResponse, Draft, Error, Event, EventKinds, MigrateState,
    ModelNext, ModelRequest, ModelResponse, OnActing, OnCheckPermission, OnCompressContext, OnDraft,
    OnEvents, OnModelCall, OnReasoning, OnReply, OnSystemPrompt, OnTurnEnd, PermissionDecision,
    PermissionNext, PermissionRequest, ReasoningNext, ReasoningRequest, ReasoningResponse, ReplyNext,
    ReplyRequest, ReplyResponse, Sink, ToolDefinition, ToolNext, ToolRequest, ToolResponse, ToolSource,
    TurnSummary, Verdict,
};

/// A middleware as a component's exports see it.
pub struct Exported<M>(PhantomData<M>);

impl<M: Instance> hooks::configuration::Guest for Exported<M> {
    fn schema() -> String {
        crate::middleware::schema::<M>()
    }
}

impl<M: Instance + MigrateState> hooks::migrate_state::Guest for Exported<M> {
    fn migrate(from_config: String) -> Result<(), Error> {
        M::instance()?.migrate_state(&from_config)
    }
}

impl<M: Instance + OnReply> hooks::on_reply::Guest for Exported<M> {
    fn handle(request: ReplyRequest, next: ReplyNext, out: Sink) -> Result<ReplyResponse, Error> {
        M::instance()?.on_reply(request, next, out)
    }
}

impl<M: Instance + OnReasoning> hooks::on_reasoning::Guest for Exported<M> {
    fn handle(request: ReasoningRequest, next: ReasoningNext, out: Sink) -> Result<ReasoningResponse, Error> {
        M::instance()?.on_reasoning(request, next, out)
    }
}

impl<M: Instance + OnModelCall> hooks::on_model_call::Guest for Exported<M> {
    fn handle(request: ModelRequest, next: ModelNext, out: Sink) -> Result<ModelResponse, Error> {
        M::instance()?.on_model_call(request, next, out)
    }
}

impl<M: Instance + OnActing> hooks::on_acting::Guest for Exported<M> {
    fn handle(request: ToolRequest, next: ToolNext, out: Sink) -> Result<ToolResponse, Error> {
        M::instance()?.on_acting(request, next, out)
    }
}

impl<M: Instance + OnCompressContext> hooks::on_compress_context::Guest for Exported<M> {
    fn handle(request: CompressRequest, next: CompressNext, out: Sink) -> Result<CompressResponse, Error> {
        M::instance()?.on_compress_context(request, next, out)
    }
}

impl<M: Instance + OnCheckPermission> hooks::on_check_permission::Guest for Exported<M> {
    fn handle(request: PermissionRequest, next: PermissionNext) -> Result<PermissionDecision, Error> {
        M::instance()?.on_check_permission(request, next)
    }
}

impl<M: Instance + OnSystemPrompt> hooks::on_system_prompt::Guest for Exported<M> {
    fn transform(prompt: String) -> Result<String, Error> {
        M::instance()?.on_system_prompt(prompt)
    }
}

impl<M: Instance + OnEvents> hooks::on_events::Guest for Exported<M> {
    /// A middleware that can't be made asks for every kind, so that the error reaches `transform` and is answered there.
    fn kinds() -> EventKinds {
        M::instance().map_or(EventKinds::all(), OnEvents::kinds)
    }

    fn transform(events: Vec<Event>) -> Result<Vec<Event>, Error> {
        M::instance()?.on_events(events)
    }
}

impl<M: Instance + OnDraft> hooks::on_draft::Guest for Exported<M> {
    fn review(draft: Draft) -> Result<Verdict, Error> {
        M::instance()?.on_draft(draft)
    }
}

impl<M: Instance + ToolSource> hooks::tool_source::Guest for Exported<M> {
    fn list_tools() -> Result<Vec<ToolDefinition>, Error> {
        M::instance()?.list_tools()
    }

    fn call_tool(request: ToolRequest, out: Sink) -> Result<ToolResponse, Error> {
        M::instance()?.call_tool(request, out)
    }
}

impl<M: Instance + OnTurnEnd> hooks::on_turn_end::Guest for Exported<M> {
    /// There is nobody to answer an error to, so it goes to the log.
    fn observe(turn: TurnSummary) {
        match M::instance() {
            Ok(middleware) => middleware.on_turn_end(turn),
            Err(error) => write(Level::Error, &error.message),
        }
    }
}
