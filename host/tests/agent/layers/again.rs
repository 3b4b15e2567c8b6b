//! Layers that run what is inside them again: nothing of the earlier run is left.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use cepa::chain::{Acting, Hook, HookFuture, HookKind, Layer, Next, Reply, Sink};
use cepa::error::{Error, ErrorKind};
use cepa::event::{Event, EventKinds};
use cepa::message::{Message, ToolState};
use cepa::request::{ReplyRequest, ReplyResponse, ToolRequest, ToolResponse};
use cepa::services::Services;
use serde_json::json;
use tokio::sync::Notify;

use crate::rig::{
    Double, Retry, Say, Script, agent, ask, ask_before, assert_agree, assert_sound, call, calls, entry, line,
    opened, says, stored, text, told, transcript, turn,
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

/// Begins a second run while the first is open, and answers with the second.
struct Races {
    /// Lets the tool of the first run answer.
    go: Arc<Notify>,
    /// What the first run gave once the second had ended.
    late: Arc<Mutex<Vec<String>>>,
}

impl Races {
    /// Runs twice at once, and notes what the first run still gives.
    async fn race<H: Hook>(
        &self,
        request: H::Request,
        mut next: Next<H>,
        out: Sink,
    ) -> Result<H::Response, Error> {
        let mut first = next.start(request.clone()).await?;
        while !first.next(EventKinds::TOOL_RESULT).await?.iter().any(begins_result) {}
        let mut second = next.start(request).await?;
        self.go.notify_one();
        loop {
            let events = second.next(EventKinds::ALL).await?;
            if events.is_empty() {
                break;
            }
            out.emit(events).await?;
        }
        let response = second.finish().await?;
        let events = first.next(EventKinds::ALL).await?.len();
        let end = first.finish().await.err().map(|error| error.message);
        self.late.lock().unwrap().push(format!("{events} events, {end:?}"));
        Ok(response)
    }
}

fn begins_result(event: &Event) -> bool {
    matches!(event, Event::ToolResultStart { .. })
}

impl Layer for Races {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        next: Next<Reply>,
        out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move { Ok(self.race(request, next, out).await?) })
    }

    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        next: Next<Acting>,
        out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move { Ok(self.race(request, next, out).await?) })
    }
}

/// A tool that answers for the first time when it is told to, and then at once.
fn slow_once(go: &Arc<Notify>) -> Double {
    let (go, slow) = (Arc::clone(go), AtomicBool::new(true));
    Double::new("look", move |invocation, _| {
        let (go, slow) = (Arc::clone(&go), slow.swap(false, Ordering::SeqCst));
        async move {
            if slow {
                go.notified().await;
            }
            Ok(ToolResponse::text_answer(ToolState::Success, format!("look {}", invocation.arguments["x"])))
        }
    })
}

const ENDED: &str = r#"0 events, Some("a later run of `next` has ended this one")"#;

#[tokio::test]
async fn a_run_of_the_reply_that_another_one_follows_is_ended_first() {
    let model = Script::new([
        calls([call("c1", "look", &json!({"x": 1}))]),
        calls([call("c2", "look", &json!({"x": 2}))]),
        says("Second."),
    ]);
    let go = Arc::new(Notify::new());
    let late: Arc<Mutex<Vec<String>>> = Arc::default();
    let layer = Races { go: Arc::clone(&go), late: Arc::clone(&late) };
    let agent = agent(&model)
        .tool(Arc::new(slow_once(&go)))
        .middleware(entry("races", &[HookKind::Reply], layer))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Look").await;
    assert_eq!(*late.lock().unwrap(), [ENDED]);
    let texts: Vec<String> = session.messages.iter().map(line).collect();
    assert_eq!(
        texts,
        ["user: Look", "assistant: c2 = look({\"x\":2})", "tool: c2 Success look 2", "assistant: Second."]
    );
    assert_agree(&told, &session);
}

#[tokio::test]
async fn a_tool_execution_that_another_one_follows_is_ended_first() {
    let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Seen.")]);
    let go = Arc::new(Notify::new());
    let late: Arc<Mutex<Vec<String>>> = Arc::default();
    let layer = Races { go: Arc::clone(&go), late: Arc::clone(&late) };
    let agent = agent(&model)
        .tool(Arc::new(slow_once(&go)))
        .middleware(entry("races", &[HookKind::Acting], layer))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Look").await;
    assert_eq!(*late.lock().unwrap(), [ENDED]);
    assert_eq!(line(&session.messages[2]), "tool: c1 Success look 1");
    assert_eq!(told.events.iter().filter(|event| begins_result(event)).count(), 1);
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
