//! Layers that retry, rewrite, filter, answer themselves or break: what the reply makes of it.

use std::sync::{Arc, Mutex};

use cepa::agent::ReplyItem;
use cepa::chain::{
    Acting, ChainEntry, HookFuture, HookKind, HookSet, Layer, ModelCall, Native, Next, OnFault, Reply, Sink,
};
use cepa::error::{Error, ErrorKind, Failure, Fault};
use cepa::event::{Event, EventKinds, Outcome};
use cepa::message::{Block, Message, ResultPart, ToolState};
use cepa::request::{
    Draft, ModelRequest, ModelResponse, ReplyRequest, ReplyResponse, ToolRequest, ToolResponse, TurnSummary,
    Verdict,
};
use serde_json::json;

use crate::rig::{
    Double, Say, Script, agent, ask, ask_before, assert_sound, call, calls, says, stored, text, told,
    transcript,
};

fn entry(name: &str, hooks: &[HookKind], layer: impl Layer) -> ChainEntry {
    ChainEntry::new(Native::new(name, hooks.iter().copied().collect::<HookSet>(), layer))
}

/// Asks the model again when it fails.
struct Retry;

impl Layer for Retry {
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        mut next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move {
            match next.run(request.clone()).await {
                Ok(response) => Ok(response),
                Err(_) => Ok(next.run(request).await?),
            }
        })
    }
}

#[tokio::test]
async fn a_retried_model_call_repeats_no_text() {
    let broken = Say::Break(vec![text("Hel")], Error::new(ErrorKind::Connection, "cut"));
    let model = Script::new([broken, says("Hello.")]);
    let agent =
        agent(&model).middleware(entry("retry", &[HookKind::ModelCall], Retry)).build().await.unwrap();
    let told = ask(&agent, "Hi").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    insta::assert_snapshot!(transcript(&told, &session));
}

/// Runs the whole reply twice.
struct Twice;

impl Layer for Twice {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            next.run(request.clone()).await?;
            Ok(next.run(request).await?)
        })
    }
}

#[tokio::test]
async fn a_second_run_of_the_reply_finds_nothing_of_the_first() {
    let model = Script::new([
        calls([call("c1", "look", &json!({"x": 1}))]),
        says("First."),
        calls([call("c1", "look", &json!({"x": 2}))]),
        says("Second."),
    ]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .middleware(entry("twice", &[HookKind::Reply], Twice))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Look").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_eq!(model.asked()[2].messages.len(), 1, "the second run begins with the input alone");
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_second_run_of_a_resumed_reply_keeps_the_results_of_its_calls() {
    let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("First."), says("Second.")]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .permissions(ask_before(&["look"]))
        .middleware(entry("twice", &[HookKind::Reply], Twice))
        .build()
        .await
        .unwrap();
    ask(&agent, "Look").await;
    let answer = cepa::agent::Answer::Approve { call_id: "c1".to_owned() };
    let told = told(agent.resume("s", vec![answer]).await.unwrap()).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    let texts: Vec<String> = session.messages.iter().map(crate::rig::line).collect();
    let shown = |event: &Event| matches!(event, Event::ToolResultEnd { call_id, .. } if call_id == "c1");
    let gone = |event: &Event| matches!(event, Event::Withdrawn { id } if id == "c1");
    let (shown, gone) = (told.events.iter().rposition(shown), told.events.iter().rposition(gone));
    assert!(gone.is_some() && shown > gone, "what was withdrawn and stays is shown again");
    assert_eq!(
        texts,
        ["user: Look", "assistant: c1 = look({\"x\":1})", "tool: c1 Success look 1", "assistant: Second."]
    );
}

/// Shortens the past when the model can't take it all, and runs the reply again with a clearer input.
struct Recover;

impl cepa::chain::Middleware for Recover {
    fn name(&self) -> &'static str {
        "recover"
    }

    fn hooks(&self) -> HookSet {
        HookSet::EMPTY.with(HookKind::Reply)
    }

    fn open(&self, reply: &Arc<cepa::chain::ReplyContext>) -> Arc<dyn Layer> {
        Arc::new(Recovering(Arc::clone(&reply.services)))
    }
}

struct Recovering(Arc<dyn cepa::services::Services>);

impl Layer for Recovering {
    fn on_reply(
        self: Arc<Self>,
        mut request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            match next.run(request.clone()).await {
                Err(error) if error.kind == ErrorKind::ContextOverflow => {}
                result => return Ok(result?),
            }
            self.0.replace(0, 2, vec![Message::user("In short.")]).await?;
            request.edit().input = vec![Message::user("Again, please.")];
            Ok(next.run(request).await?)
        })
    }
}

#[tokio::test]
async fn what_a_layer_compressed_between_two_runs_stays_compressed() {
    let overflow = Say::Break(vec![], Error::new(ErrorKind::ContextOverflow, "too long"));
    let model =
        Script::new([says("One."), calls([call("c1", "look", &json!({"x": 1}))]), overflow, says("Two.")]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .middleware(ChainEntry::new(Recover))
        .build()
        .await
        .unwrap();
    ask(&agent, "First").await;
    let told = ask(&agent, "Second").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    let texts: Vec<String> = session.messages.iter().map(crate::rig::line).collect();
    assert_eq!(texts, ["user: In short.", "user: Again, please.", "assistant: Two."]);
    assert_eq!(session.reply.unwrap().base, 1);
}

/// Changes the arguments of each tool call.
struct Rewrite(&'static str);

impl Layer for Rewrite {
    fn on_acting(
        self: Arc<Self>,
        mut request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            self.0.clone_into(&mut request.edit().call.arguments);
            Ok(next.run(request).await?)
        })
    }
}

async fn rewritten(arguments: &'static str) -> String {
    let model = Script::new([calls([call("c1", "write", &json!({"x": 1}))]), says("Done.")]);
    let mut rules = ask_before(&["write(x=2)"]);
    rules.deny = vec!["write(x=13)".parse().unwrap()];
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("write")))
        .permissions(rules)
        .middleware(entry("rewrite", &[HookKind::Acting], Rewrite(arguments)))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Write").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    transcript(&told, &session)
}

#[tokio::test]
async fn a_rewritten_call_is_shown_as_it_ran() {
    insta::assert_snapshot!(rewritten("{\"x\": 5}").await);
}

#[tokio::test]
async fn a_rewritten_call_is_checked_again() {
    insta::assert_snapshot!(rewritten("{\"y\": 5}").await);
}

#[tokio::test]
async fn a_call_rewritten_into_a_denied_one_is_denied() {
    insta::assert_snapshot!(rewritten("{\"x\": 13}").await);
}

#[tokio::test]
async fn a_call_rewritten_into_one_that_needs_a_person_parks() {
    insta::assert_snapshot!(rewritten("{\"x\": 2}").await);
}

/// Swallows every error of a tool.
struct Swallow;

impl Layer for Swallow {
    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            let _ = next.run(request).await;
            Ok(ToolResponse::text_answer(ToolState::Success, "all is well"))
        })
    }
}

#[tokio::test]
async fn a_layers_own_result_replaces_the_streamed_one() {
    let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Good.")]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .middleware(entry("swallow", &[HookKind::Acting], Swallow))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Look").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    insta::assert_snapshot!(transcript(&told, &session));
}

/// Blots out a word in text and tool results.
struct Redact;

impl Layer for Redact {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::TEXT.with(EventKinds::TOOL_RESULT)) })
    }

    fn on_events(self: Arc<Self>, mut events: Vec<Event>) -> HookFuture<Vec<Event>> {
        for event in &mut events {
            if let Event::TextDelta { text, .. } | Event::ToolResultText { text, .. } = event {
                *text = text.replace("secret", "******");
            }
        }
        Box::pin(async move { Ok(events) })
    }
}

#[tokio::test]
async fn what_a_filter_blots_out_is_stored_blotted_out() {
    let look = Double::new("look", |_, _| async {
        Ok(ToolResponse::text_answer(ToolState::Success, "a secret note"))
    });
    let model = Script::new([
        Say::Blocks(
            vec![text("My secret:"), call("c1", "look", &json!({"x": 1}))],
            cepa::message::FinishReason::ToolCalls,
        ),
        says("Its secret."),
    ]);
    let agent = agent(&model)
        .tool(Arc::new(look))
        .middleware(entry("redact", &[HookKind::Events], Redact))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Look").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_eq!(told.result.response.text(), "Its ******.");
    insta::assert_snapshot!(transcript(&told, &session));
}

/// Hides everything and forges the end.
struct Hide;

impl Layer for Hide {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::ALL) })
    }

    fn on_events(self: Arc<Self>, _events: Vec<Event>) -> HookFuture<Vec<Event>> {
        let reply_id = "forged".to_owned();
        Box::pin(async { Ok(vec![Event::ReplyEnd { reply_id, outcome: Outcome::Replied, error: None }]) })
    }
}

#[tokio::test]
async fn hiding_events_hides_text_but_keeps_calls_and_results_for_the_model() {
    let model = Script::new([
        Say::Blocks(
            vec![text("Hm."), call("c1", "look", &json!({"x": 1}))],
            cepa::message::FinishReason::ToolCalls,
        ),
        says("Nothing to see."),
    ]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .middleware(entry("hide", &[HookKind::Events], Hide))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Look").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    insta::assert_snapshot!(transcript(&told, &session));
}

/// Breaks at its first event.
struct Broken;

impl Layer for Broken {
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::TEXT) })
    }

    fn on_events(self: Arc<Self>, _events: Vec<Event>) -> HookFuture<Vec<Event>> {
        let fault = Fault { layer: "broken".to_owned(), hook: "on-events", cause: "it trapped".to_owned() };
        Box::pin(async { Err(fault.into()) })
    }
}

#[tokio::test]
async fn a_filter_that_breaks_fails_the_reply_and_is_named() {
    let model = Script::new([says("Hello.")]);
    let agent = agent(&model).middleware(entry("broken", &[HookKind::Events], Broken)).build().await.unwrap();
    let told = ask(&agent, "Hi").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_eq!(told.result.response.error.clone().unwrap().kind, ErrorKind::Fault);
    assert_eq!(session.messages.len(), 1);
    let noted = told.items.iter().any(|item| matches!(item, ReplyItem::Note(note) if note.layer == "broken"));
    assert!(noted, "the note names the layer");
}

#[tokio::test]
async fn a_filter_that_breaks_and_may_be_skipped_is_passed_by() {
    let model = Script::new([says("Hello.")]);
    let mut broken = entry("broken", &[HookKind::Events], Broken);
    broken.on_fault = OnFault::Skip;
    let agent = agent(&model).middleware(broken).build().await.unwrap();
    let told = ask(&agent, "Hi").await;
    assert_eq!(told.result.response.text(), "Hello.");
}

/// Answers the reply without the loop.
struct Answers(&'static str);

impl Layer for Answers {
    fn on_reply(
        self: Arc<Self>,
        _request: ReplyRequest,
        _next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move { Ok(ReplyResponse::answer(vec![text(self.0)])) })
    }
}

/// Rejects every draft with a word in it.
struct Guard(&'static str);

impl Layer for Guard {
    fn on_draft(self: Arc<Self>, draft: Draft) -> HookFuture<Verdict> {
        let bad = draft.message.text().contains(self.0);
        Box::pin(async move { Ok(if bad { Verdict::Retry("no".to_owned()) } else { Verdict::Accept }) })
    }
}

#[tokio::test]
async fn a_layers_own_answer_is_streamed_reviewed_and_stored() {
    let model = Script::new([]);
    let good = agent(&model)
        .middleware(entry("answers", &[HookKind::Reply], Answers("From the cache.")))
        .middleware(entry("guard", &[HookKind::Draft], Guard("curse")))
        .build()
        .await
        .unwrap();
    let told = ask(&good, "Hi").await;
    let session = stored(&good).await;
    assert_sound(&told, &session);
    insta::assert_snapshot!(transcript(&told, &session));

    let bad = agent(&model)
        .middleware(entry("answers", &[HookKind::Reply], Answers("A curse.")))
        .middleware(entry("guard", &[HookKind::Draft], Guard("curse")))
        .build()
        .await
        .unwrap();
    let told = ask(&bad, "Hi").await;
    assert_sound(&told, &stored(&bad).await);
    assert_eq!(told.result.response.outcome, Outcome::Failed);
    let said = told.events.iter().any(|event| matches!(event, Event::TextDelta { .. }));
    assert!(!said, "nothing bad goes out");
}

/// Puts a word in front of the final answer, and keeps count of how replies end.
#[derive(Default)]
struct Outer {
    ends: Mutex<Vec<Outcome>>,
}

impl Layer for Outer {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            let mut response = next.run(request).await?;
            if let Some(message) = &mut response.edit().message {
                message.content.insert(0, text("Well: "));
            }
            Ok(response)
        })
    }

    fn on_turn_end(self: Arc<Self>, turn: TurnSummary) -> HookFuture<()> {
        self.ends.lock().unwrap().push(turn.outcome);
        Box::pin(async { Err(Failure::Error(Error::internal("nobody minds"))) })
    }
}

#[tokio::test]
async fn a_changed_final_message_is_announced_and_the_end_observed_once() {
    let model = Script::new([says("Yes.")]);
    let layer = Arc::new(Outer::default());
    let agent = agent(&model)
        .middleware(entry("outer", &[HookKind::Reply, HookKind::TurnEnd], Shared(Arc::clone(&layer))))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "So?").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_eq!(*layer.ends.lock().unwrap(), [Outcome::Replied]);
    insta::assert_snapshot!(transcript(&told, &session));
}

/// A layer that the test looks into afterwards.
struct Shared(Arc<Outer>);

impl Layer for Shared {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        next: Next<Reply>,
        out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Arc::clone(&self.0).on_reply(request, next, out)
    }

    fn on_turn_end(self: Arc<Self>, turn: TurnSummary) -> HookFuture<()> {
        Arc::clone(&self.0).on_turn_end(turn)
    }
}

/// Fails every reply after it ran.
struct Fails;

impl Layer for Fails {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            next.run(request).await?;
            Err(Error::new(ErrorKind::Rejected, "not like this").into())
        })
    }
}

#[tokio::test]
async fn a_layers_error_fails_the_reply_but_parking_cannot_be_swallowed() {
    let model = Script::new([says("Yes."), calls([call("c1", "look", &json!({"x": 1}))])]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .permissions(ask_before(&["look"]))
        .middleware(entry("fails", &[HookKind::Reply], Fails))
        .build()
        .await
        .unwrap();
    let failed = ask(&agent, "So?").await;
    let session = stored(&agent).await;
    assert_sound(&failed, &session);
    assert_eq!(failed.result.response.error.clone().unwrap().message, "not like this");
    assert_eq!(session.messages.len(), 1, "the withdrawn answer is not stored");
    let parked = ask(&agent, "Look").await;
    assert_sound(&parked, &stored(&agent).await);
    assert_eq!(parked.result.response.outcome, Outcome::Parked);
}

/// A middleware with a tool.
struct Clock;

impl Layer for Clock {
    fn call_tool(self: Arc<Self>, request: ToolRequest, _out: Sink) -> HookFuture<ToolResponse> {
        let text = format!("it is {}", request.call.arguments);
        Box::pin(async move { Ok(ToolResponse::text_answer(ToolState::Success, text)) })
    }
}

#[tokio::test]
async fn a_layers_tool_runs_in_its_layer() {
    let definition = Double::echo("clock");
    let tools = vec![cepa::tool::Tool::definition(&definition).clone()];
    let native = Native::new("time", HookSet::EMPTY.with(HookKind::ToolSource), Clock).with_tools(tools);
    let model = Script::new([calls([call("c1", "clock", &json!({"x": 1}))]), says("Late.")]);
    let entry = ChainEntry::new(native);
    let clash = agent(&model).tool(Arc::new(Double::echo("clock"))).middleware(entry.clone()).build().await;
    let clash = clash.unwrap_err().to_string();
    assert!(clash.contains("embedding program") && clash.contains("middleware `time`"), "{clash}");
    let agent = agent(&model).middleware(entry).build().await.unwrap();
    let told = ask(&agent, "Time?").await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    let result = session.messages[2].tool_results().next().unwrap();
    assert_eq!(result.content, [ResultPart::text("it is {\"x\":1}")]);
    assert!(
        told.result.layers.iter().any(|(layer, hook, line)| {
            layer == "time" && *hook == HookKind::ToolSource && line.calls == 1
        })
    );
    assert!(matches!(session.messages[3].content[0], Block::Text { .. }));
}
