//! Layers around the whole reply: they answer it themselves, change its answer or fail it.

use std::sync::{Arc, Mutex};

use cepa::chain::{HookFuture, HookKind, Layer, Next, Reply, Sink};
use cepa::error::{Error, ErrorKind, Failure};
use cepa::event::{Event, Outcome};
use cepa::request::{Draft, ReplyRequest, ReplyResponse, TurnSummary, Verdict};
use serde_json::json;

use crate::rig::{
    Double, Script, agent, ask, ask_before, assert_sound, call, calls, entry, says, stored, text, transcript,
    turn,
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
    let (failed, session) = turn(&agent, "So?").await;
    assert_eq!(failed.result.response.error.clone().unwrap().message, "not like this");
    assert_eq!(session.messages.len(), 1, "the withdrawn answer is not stored");
    let parked = ask(&agent, "Look").await;
    assert_sound(&parked, &stored(&agent).await);
    assert_eq!(parked.result.response.outcome, Outcome::Parked);
}
