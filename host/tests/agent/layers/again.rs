//! Layers that run what is inside them again: nothing of the earlier run is left.

use std::sync::Arc;

use cepa::chain::{HookFuture, HookKind, Layer, Next, Reply, Sink};
use cepa::error::{Error, ErrorKind};
use cepa::event::Event;
use cepa::message::Message;
use cepa::request::{ReplyRequest, ReplyResponse};
use cepa::services::Services;
use serde_json::json;

use crate::rig::{
    Double, Retry, Say, Script, agent, ask, ask_before, assert_sound, call, calls, entry, line, opened, says,
    stored, text, told, transcript, turn,
};

#[tokio::test]
async fn a_retried_model_call_repeats_no_text() {
    let broken = Say::Break(vec![text("Hel")], Error::new(ErrorKind::Connection, "cut"));
    let model = Script::new([broken, says("Hello.")]);
    let agent =
        agent(&model).middleware(entry("retry", &[HookKind::ModelCall], Retry)).build().await.unwrap();
    let (told, session) = turn(&agent, "Hi").await;
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
    let (told, session) = turn(&agent, "Look").await;
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
    let texts: Vec<String> = session.messages.iter().map(line).collect();
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
struct Recovering(Arc<dyn Services>);

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
        .middleware(opened("recover", &[HookKind::Reply], |reply| Recovering(Arc::clone(&reply.services))))
        .build()
        .await
        .unwrap();
    ask(&agent, "First").await;
    let (_, session) = turn(&agent, "Second").await;
    let texts: Vec<String> = session.messages.iter().map(line).collect();
    assert_eq!(texts, ["user: In short.", "user: Again, please.", "assistant: Two."]);
    assert_eq!(session.reply.unwrap().base, 1);
}
