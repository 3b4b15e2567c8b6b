//! Implements every hook, changes nothing but the prompt, and logs each entry and exit with the step it saw.

use cepa_sdk::{
    CompressNext, CompressRequest, CompressResponse, Draft, Error, Event, EventKinds, Middleware, ModelNext,
    ModelRequest, ModelResponse, NoConfig, OnActing, OnCheckPermission, OnCompressContext, OnDraft, OnEvents,
    OnModelCall, OnReasoning, OnReply, OnSystemPrompt, OnTurnEnd, PermissionDecision, PermissionNext,
    PermissionRequest, ReasoningNext, ReasoningRequest, ReasoningResponse, ReplyNext, ReplyRequest,
    ReplyResponse, ResultPart, Sink, ToolDefinition, ToolNext, ToolRequest, ToolResponse, ToolSource,
    ToolState, ToolText, TurnSummary, Verdict, context, info,
};

struct EveryHook;

impl Middleware for EveryHook {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

/// Logs that a hook was entered, and that it was left when this is dropped.
struct Inside(&'static str);

impl Inside {
    fn of(hook: &'static str) -> Self {
        info!("> {hook} in step {}", context::step());
        Self(hook)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        info!("< {} in step {}", self.0, context::step());
    }
}

impl OnReply for EveryHook {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        let _inside = Inside::of("reply");
        next.run(request)
    }
}

impl OnReasoning for EveryHook {
    fn on_reasoning(
        &self,
        request: ReasoningRequest,
        next: ReasoningNext,
        _: Sink,
    ) -> Result<ReasoningResponse, Error> {
        let _inside = Inside::of("reasoning");
        next.run(request)
    }
}

impl OnModelCall for EveryHook {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let _inside = Inside::of("model-call");
        next.run(request)
    }
}

impl OnActing for EveryHook {
    fn on_acting(&self, request: ToolRequest, next: ToolNext, _: Sink) -> Result<ToolResponse, Error> {
        let _inside = Inside::of("acting");
        next.run(request)
    }
}

impl OnCompressContext for EveryHook {
    fn on_compress_context(
        &self,
        request: CompressRequest,
        next: CompressNext,
        _: Sink,
    ) -> Result<CompressResponse, Error> {
        let _inside = Inside::of("compress-context");
        next.run(request)
    }
}

impl OnCheckPermission for EveryHook {
    fn on_check_permission(
        &self,
        request: PermissionRequest,
        next: PermissionNext,
    ) -> Result<PermissionDecision, Error> {
        let _inside = Inside::of("check-permission");
        next.run(request)
    }
}

impl OnSystemPrompt for EveryHook {
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error> {
        let _inside = Inside::of("system-prompt");
        Ok(format!("{prompt} [{}]", context::layer_name()))
    }
}

impl OnEvents for EveryHook {
    fn kinds(&self) -> EventKinds {
        let _inside = Inside::of("events, asked for its kinds");
        EventKinds::REPLY
    }

    fn on_events(&self, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        let _inside = Inside::of("events");
        Ok(events)
    }
}

impl OnDraft for EveryHook {
    fn on_draft(&self, _: Draft) -> Result<Verdict, Error> {
        let _inside = Inside::of("draft");
        Ok(Verdict::Accept)
    }
}

impl ToolSource for EveryHook {
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        Ok(vec![ToolDefinition {
            name: format!("tool-of-{}", context::layer_name()),
            description: "says who it is".to_owned(),
            parameters: r#"{"type":"object"}"#.to_owned(),
            parallel: true,
            metadata: String::new(),
        }])
    }

    fn call_tool(&self, request: ToolRequest, out: Sink) -> Result<ToolResponse, Error> {
        let _inside = Inside::of("tool");
        let text = format!("here is {}", context::layer_name());
        let (said, rest) = text.split_at(4);
        for part in [said, rest] {
            let said = ToolText { call_id: request.call_id(), text: part.to_owned() };
            out.emit(&[Event::ToolResultText(said)])?;
        }
        Ok(ToolResponse::new(ToolState::Success, &[ResultPart::Text(text)]))
    }
}

impl OnTurnEnd for EveryHook {
    fn on_turn_end(&self, _: TurnSummary) {
        let _inside = Inside::of("turn-end");
    }
}

cepa_sdk::export!(
    EveryHook: OnReply,
    OnReasoning,
    OnModelCall,
    OnActing,
    OnCompressContext,
    OnCheckPermission,
    OnSystemPrompt,
    OnEvents,
    OnDraft,
    ToolSource,
    OnTurnEnd,
);
