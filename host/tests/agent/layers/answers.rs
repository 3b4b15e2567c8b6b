//! Layers around the whole reply: they answer it themselves, change its answer or fail it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cepa::agent::ReplyInput;
use cepa::chain::{Acting, ChainEntry, HookFuture, HookKind, Layer, Next, OnFault, Reply, Sink};
use cepa::error::{Error, ErrorKind, Failure, Fault};
use cepa::event::{Event, EventKinds, Outcome};
use cepa::message::ToolState;
use cepa::request::{Draft, ReplyRequest, ReplyResponse, ToolRequest, ToolResponse, TurnSummary, Verdict};
use serde_json::json;

use crate::rig::{
    Double, Script, agent, ask, ask_before, assert_sound, call, calls, entry, line, says, stored, text, told,
    transcript, turn,
};

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
    let (told, session) = turn(&good, "Hi").await;
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
    let (told, session) = turn(&agent, "So?").await;
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
struct Fails(ErrorKind);

impl Layer for Fails {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            next.run(request).await?;
            Err(Error::new(self.0, "not like this").into())
        })
    }
}

#[tokio::test]
async fn a_layers_error_fails_the_reply_but_parking_cannot_be_swallowed() {
    let model = Script::new([says("Yes."), calls([call("c1", "look", &json!({"x": 1}))])]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .permissions(ask_before(&["look"]))
        .middleware(entry("fails", &[HookKind::Reply], Fails(ErrorKind::Rejected)))
        .build()
        .await
        .unwrap();
    let (failed, session) = turn(&agent, "So?").await;
    assert_eq!(failed.result.response.error.clone().unwrap().message, "not like this");
    assert_eq!(session.messages.len(), 1, "the withdrawn answer is not stored");
    let parked = ask(&agent, "Look").await;
    assert_sound(&parked, &stored(&agent).await);
    assert_eq!(parked.result.response.outcome, Outcome::Parked);
}

#[tokio::test]
async fn a_layers_error_is_taken_for_no_abort_and_for_no_fault() {
    for kind in [ErrorKind::Aborted, ErrorKind::Fault] {
        let agent = agent(&Script::new([says("Yes.")]))
            .middleware(entry("fails", &[HookKind::Reply], Fails(kind)))
            .build()
            .await
            .unwrap();
        let (told, _) = turn(&agent, "So?").await;
        let error = told.result.response.error.clone().unwrap();
        assert_eq!(
            (told.result.response.outcome, error.kind),
            (Outcome::Failed, ErrorKind::Other),
            "{kind:?}"
        );
    }
}

/// Breaks a rule.
struct Breaks;

impl Layer for Breaks {
    fn on_reply(
        self: Arc<Self>,
        _request: ReplyRequest,
        _next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move { Err(broken("on-reply")) })
    }
}

/// The fault of a layer that broke in this hook.
fn broken(hook: &'static str) -> Failure {
    Fault { layer: "breaks".to_owned(), hook, cause: "it trapped".to_owned() }.into()
}

/// Passes on what it is told.
struct Passes;

impl Layer for Passes {}

#[tokio::test]
async fn a_fault_that_a_layer_passes_on_is_one_still() {
    let agent = agent(&Script::new([]))
        .middleware(entry("passes", &[HookKind::Reply], Passes))
        .middleware(entry("breaks", &[HookKind::Reply], Breaks))
        .build()
        .await
        .unwrap();
    let (told, _) = turn(&agent, "So?").await;
    assert_eq!(told.result.response.error.clone().unwrap().kind, ErrorKind::Fault);
}

/// Waits for someone who does not exist.
struct Waits;

impl Layer for Waits {
    fn on_acting(
        self: Arc<Self>,
        _request: ToolRequest,
        _next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async { Ok(ToolResponse::text_answer(ToolState::Parked, "")) })
    }
}

#[tokio::test]
async fn a_layer_that_makes_up_that_a_call_waits_breaks_a_rule_and_may_be_skipped() {
    for (on_fault, result) in [
        (OnFault::Fail, "Error an inner layer failed in hook `on-acting`"),
        (OnFault::Skip, "Success look 1"),
    ] {
        let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Seen.")]);
        let waits = ChainEntry { on_fault, ..entry("waits", &[HookKind::Acting], Waits) };
        let agent =
            agent(&model).tool(Arc::new(Double::echo("look"))).middleware(waits).build().await.unwrap();
        let (told, session) = turn(&agent, "Look").await;
        assert_eq!(told.result.response.outcome, Outcome::Replied);
        assert_eq!(line(&session.messages[2]), format!("tool: c1 {result}"));
    }
}

/// Starts the tool, and breaks before it has taken the answer.
struct StartsAndBreaks {
    reads_on: bool,
}

impl Layer for StartsAndBreaks {
    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            let mut run = next.start(request).await?;
            if self.reads_on {
                while !run.next(EventKinds::ALL).await?.is_empty() {}
            } else {
                run.next(EventKinds::TOOL_RESULT).await?;
            }
            Err(broken("on-acting"))
        })
    }
}

#[tokio::test]
async fn a_tool_runs_once_whatever_the_layer_around_it_breaks() {
    let cut = "Error what ran inside was cut off when a layer around it broke a rule; it may or may not have taken effect";
    for (reads_on, result) in [(true, "Success look"), (false, cut)] {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        let look = Double::new("look", move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                if !reads_on {
                    std::future::pending::<()>().await;
                }
                Ok(ToolResponse::text_answer(ToolState::Success, "look"))
            }
        });
        let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Seen.")]);
        let breaks = entry("breaks", &[HookKind::Acting], StartsAndBreaks { reads_on });
        let breaks = ChainEntry { on_fault: OnFault::Skip, ..breaks };
        let agent = agent(&model).tool(Arc::new(look)).middleware(breaks).build().await.unwrap();
        let (_, session) = turn(&agent, "Look").await;
        assert_eq!(line(&session.messages[2]), format!("tool: c1 {result}"));
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    }
}

/// Puts a tool call in the place of every draft.
struct Orphans;

impl Layer for Orphans {
    fn on_draft(self: Arc<Self>, _draft: Draft) -> HookFuture<Verdict> {
        Box::pin(async { Ok(Verdict::Replace(vec![call("c9", "look", &json!({"x": 1}))])) })
    }
}

#[tokio::test]
async fn no_review_makes_a_final_answer_of_a_tool_call() {
    let outer: [(&str, Option<ChainEntry>); 2] = [
        ("made by a layer", Some(entry("answers", &[HookKind::Reply], Answers("Mine.")))),
        ("made by the model", None),
    ];
    for (case, outer) in outer {
        let mut builder = agent(&Script::new([says("Yours."), says("Later.")]))
            .tool(Arc::new(Double::echo("look")))
            .middleware(entry("orphans", &[HookKind::Draft], Orphans));
        if let Some(outer) = outer {
            builder = builder.middleware(outer);
        }
        let (told, session) = turn(&builder.build().await.unwrap(), "So?").await;
        assert_eq!(told.result.response.error.clone().unwrap().kind, ErrorKind::Fault, "{case}");
        assert_eq!(session.messages.len(), 1, "{case}");
    }
}

#[tokio::test]
async fn what_a_layer_answers_matches_the_schema_that_was_asked_for_or_does_not_go_out() {
    let schema = json!({"type": "object", "required": ["age"]});
    for (answer, structured) in [("{\"age\": 4}", Some(json!({"age": 4}))), ("Four.", None)] {
        let agent = agent(&Script::new([]))
            .middleware(entry("answers", &[HookKind::Reply], Answers(answer)))
            .build()
            .await
            .unwrap();
        let input = ReplyInput { output_schema: Some(schema.clone()), ..ReplyInput::from("How old?") };
        let told = told(agent.reply("s", input).await.unwrap()).await;
        let session = stored(&agent).await;
        assert_sound(&told, &session);
        let response = &told.result.response;
        assert_eq!(response.structured_output, structured);
        match structured {
            Some(_) => assert_eq!(response.outcome, Outcome::Replied),
            None => assert_eq!(response.error.clone().unwrap().kind, ErrorKind::Rejected),
        }
    }
}
