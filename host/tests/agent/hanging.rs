//! Layers that never come to an end: an abort ends the reply all the same, whatever hook they hang in.

use std::sync::Arc;

use cepa::chain::{
    Acting, ChainEntry, CheckPermission, CompressContext, HookFuture, HookKind, HookSet, Layer, ModelCall,
    Native, Next, OnFault, Reasoning, Reply, Sink,
};
use cepa::event::{Event, EventKinds, Outcome};
use cepa::request::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionDecision,
    PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest,
    ToolResponse, TurnSummary, Verdict,
};
use cepa::session::ReplyStatus;
use cepa::tool::Tool as _;
use serde_json::json;
use tokio::sync::Notify;

use crate::rig::{Double, Script, Told, agent, ask, assert_sound, call, calls, says, stored, told};

/// Says that it was entered, and hangs.
struct Hangs {
    entered: Arc<Notify>,
    /// Whether it hangs before it has said which events it wants.
    at_once: bool,
}

impl Hangs {
    fn hang<T: Send + 'static>(&self) -> HookFuture<T> {
        self.entered.notify_one();
        Box::pin(std::future::pending())
    }
}

impl Layer for Hangs {
    fn on_reply(self: Arc<Self>, _: ReplyRequest, _: Next<Reply>, _: Sink) -> HookFuture<ReplyResponse> {
        self.hang()
    }

    fn on_reasoning(
        self: Arc<Self>,
        _: ReasoningRequest,
        _: Next<Reasoning>,
        _: Sink,
    ) -> HookFuture<ReasoningResponse> {
        self.hang()
    }

    fn on_model_call(
        self: Arc<Self>,
        _: ModelRequest,
        _: Next<ModelCall>,
        _: Sink,
    ) -> HookFuture<ModelResponse> {
        self.hang()
    }

    fn on_acting(self: Arc<Self>, _: ToolRequest, _: Next<Acting>, _: Sink) -> HookFuture<ToolResponse> {
        self.hang()
    }

    fn on_compress_context(
        self: Arc<Self>,
        _: CompressRequest,
        _: Next<CompressContext>,
        _: Sink,
    ) -> HookFuture<CompressResponse> {
        self.hang()
    }

    fn on_check_permission(
        self: Arc<Self>,
        _: PermissionRequest,
        _: Next<CheckPermission>,
        _: Sink,
    ) -> HookFuture<PermissionDecision> {
        self.hang()
    }

    fn on_system_prompt(self: Arc<Self>, _: String) -> HookFuture<String> {
        self.hang()
    }

    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        if self.at_once { self.hang() } else { Box::pin(async { Ok(EventKinds::TEXT) }) }
    }

    fn on_events(self: Arc<Self>, _: Vec<Event>) -> HookFuture<Vec<Event>> {
        self.hang()
    }

    fn on_draft(self: Arc<Self>, _: Draft) -> HookFuture<Verdict> {
        self.hang()
    }

    fn call_tool(self: Arc<Self>, _: ToolRequest, _: Sink) -> HookFuture<ToolResponse> {
        self.hang()
    }

    fn on_turn_end(self: Arc<Self>, _: TurnSummary) -> HookFuture<()> {
        self.hang()
    }
}

/// Aborts a reply with a tool call and an answer once the layer hangs in this hook, and asks again without it.
async fn aborted_in(kind: HookKind, at_once: bool, on_fault: OnFault) -> Told {
    let entered = Arc::new(Notify::new());
    let layer = Hangs { entered: Arc::clone(&entered), at_once };
    let mut native = Native::new("hangs", HookSet::EMPTY.with(kind), layer);
    if kind == HookKind::ToolSource {
        native = native.with_tools(vec![Double::echo("look").definition().clone()]);
    }
    let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Seen.")]);
    let mut builder = agent(&model).middleware(ChainEntry { on_fault, ..ChainEntry::new(native) });
    if kind != HookKind::ToolSource {
        builder = builder.tool(Arc::new(Double::echo("look")));
    }
    let hanging = builder.build().await.unwrap();
    let stream = hanging.reply("s", "Look").await.unwrap();
    let cancel = stream.cancellation();
    let reading = tokio::spawn(told(stream));
    entered.notified().await;
    cancel.cancel();
    let told = reading.await.unwrap();
    let session = stored(&hanging).await;
    assert_sound(&told, &session);
    assert_eq!(session.reply.as_ref().unwrap().status, ReplyStatus::Ended, "{kind:?}");
    assert!(session.open_calls.is_empty());

    let sound = agent(&Script::new([says("Here again.")])).sessions(Arc::clone(hanging.sessions()));
    let again = ask(&sound.build().await.unwrap(), "Still there?").await;
    assert_eq!(again.result.response.text(), "Here again.", "{kind:?}");
    told
}

#[tokio::test]
async fn an_abort_ends_a_reply_whatever_hook_hangs() {
    for kind in HookKind::ALL {
        let told = aborted_in(kind, false, OnFault::Fail).await;
        // The observers of the end are called when the reply has ended already.
        let expected = if kind == HookKind::TurnEnd { Outcome::Replied } else { Outcome::Aborted };
        assert_eq!(told.result.response.outcome, expected, "{kind:?}");
    }
}

#[tokio::test]
async fn a_filter_that_hangs_is_cut_off_once_whatever_its_policy() {
    let told = aborted_in(HookKind::Events, false, OnFault::Skip).await;
    assert_eq!(told.result.response.outcome, Outcome::Aborted);
    let passed = told.events.iter().any(|event| matches!(event, Event::TextDelta { .. }));
    assert!(!passed, "what the filter has not let through does not go out");
    aborted_in(HookKind::Events, true, OnFault::Fail).await;
}
