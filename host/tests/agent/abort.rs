//! Aborting: at every moment, by token, by hand and by walking away.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use cepa::agent::ReplyItem;
use cepa::chain::{ChainEntry, HookFuture, HookKind, Layer};
use cepa::event::{Event, Outcome};
use cepa::message::ToolState;
use cepa::request::{ToolResponse, TurnSummary};
use cepa::session::ReplyStatus;
use serde_json::json;

use crate::rig::{
    Double, Say, Script, agent, assert_agree, assert_sound, assert_whole, call, calls, entry, says, stored,
    text, told, told_after, transcript,
};

/// Counts the ends of replies.
struct Ends(Arc<AtomicU32>);

impl Layer for Ends {
    fn on_turn_end(self: Arc<Self>, _turn: TurnSummary) -> HookFuture<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(()) })
    }
}

fn ends() -> (ChainEntry, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let layer = Ends(Arc::clone(&count));
    (entry("ends", &[HookKind::TurnEnd], layer), count)
}

fn script() -> Arc<Script> {
    Script::new([
        Say::Blocks(
            vec![
                text("Let me see, it may take a while."),
                call("c1", "look", &json!({"x": 1})),
                call("c2", "look", &json!({"x": 2})),
                call("c3", "alone", &json!({"x": 3})),
            ],
            cepa::message::FinishReason::ToolCalls,
        ),
        says("There it is, all of it."),
    ])
}

/// With one thread and an event interval of 1, each `yield_now` lets one task take one turn.
#[test]
fn an_abort_at_any_moment_leaves_everything_in_order() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().event_interval(1).build().unwrap();
    runtime.block_on(abort_at_every_moment());
}

async fn abort_at_every_moment() {
    let mut moments = 0;
    loop {
        let (observer, ended) = ends();
        let agent = agent(&script())
            .tool(Arc::new(Double::echo("look")))
            .tool(Arc::new(Double::echo("alone").alone()))
            .middleware(observer)
            .build()
            .await
            .unwrap();
        let stream = agent.reply("s", "Look").await.unwrap();
        for _ in 0..moments {
            tokio::task::yield_now().await;
        }
        stream.abort();
        let told = told(stream).await;
        let session = stored(&agent).await;
        assert_sound(&told, &session);
        assert_agree(&told, &session);
        assert_eq!(ended.load(Ordering::SeqCst), 1, "one turn-end");
        match told.result.response.outcome {
            Outcome::Aborted => moments += 1,
            Outcome::Replied => break,
            other => panic!("{other:?} at moment {moments}"),
        }
    }
    assert!(moments > 40, "the abort came at {moments} different moments");
}

/// Several threads, where what is cut off may still be at work when the reply ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn stream_and_store_agree_when_a_model_speaks_on_after_the_abort() {
    for moment in 0..200 {
        let agent = agent(&Script::new([Say::Endless])).build().await.unwrap();
        let mut stream = agent.reply("s", "Count").await.unwrap();
        let mut items = Vec::new();
        for _ in 0..moment {
            items.extend(stream.next().await);
        }
        stream.abort();
        let told = told_after(items, stream).await;
        let session = stored(&agent).await;
        assert_sound(&told, &session);
        assert_agree(&told, &session);
    }
}

/// Passes a future's polls on until there were enough, and then never ends.
struct Until<F> {
    future: F,
    left: u32,
    stuck: Arc<tokio::sync::Notify>,
}

impl<F: Future + Unpin> Future for Until<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        if self.left == 0 {
            self.stuck.notify_one();
            return Poll::Pending;
        }
        self.left -= 1;
        Pin::new(&mut self.future).poll(cx)
    }
}

#[tokio::test]
async fn an_abort_while_a_tool_hangs_closes_its_call_at_once() {
    for polls in 0..4 {
        let stuck = Arc::new(tokio::sync::Notify::new());
        let hangs = {
            let stuck = Arc::clone(&stuck);
            Double::new("hang", move |_, _| {
                let work = Box::pin(async {
                    for _ in 0..10 {
                        tokio::task::yield_now().await;
                    }
                    Ok(ToolResponse::text_answer(ToolState::Success, "never"))
                });
                Until { future: work, left: polls, stuck: Arc::clone(&stuck) }
            })
        };
        let model = Script::new([calls([
            call("c1", "look", &json!({"x": 1})),
            call("c2", "hang", &json!({"x": 2})),
            call("c3", "alone", &json!({"x": 3})),
        ])]);
        let agent = agent(&model)
            .tool(Arc::new(Double::echo("look")))
            .tool(Arc::new(hangs))
            .tool(Arc::new(Double::echo("alone").alone()))
            .build()
            .await
            .unwrap();
        let stream = agent.reply("s", "Look").await.unwrap();
        let cancel = stream.cancellation();
        let reading = tokio::spawn(told(stream));
        stuck.notified().await;
        // The sibling ends in its own time; the transcript wants it ended.
        while stored(&agent).await.messages.len() < 3 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
        let told = reading.await.unwrap();
        let session = stored(&agent).await;
        assert_sound(&told, &session);
        assert_eq!(session.reply.as_ref().unwrap().status, ReplyStatus::Ended);
        insta::assert_snapshot!("hanging_tool", transcript(&told, &session));
    }
}

#[tokio::test]
async fn walking_away_aborts_and_closes_what_was_open() {
    let (observer, ended) = ends();
    let hang = Double::new("hang", |_, _| std::future::pending());
    let model = Script::new([calls([call("c1", "hang", &json!({"x": 1}))]), says("Back again.")]);
    let agent = agent(&model).tool(Arc::new(hang)).middleware(observer).build().await.unwrap();
    let mut stream = agent.reply("s", "Hang").await.unwrap();
    while !matches!(stream.next().await, Some(ReplyItem::Event(Event::ToolResultStart { .. }))) {}
    drop(stream);
    while ended.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let session = stored(&agent).await;
    assert_whole(&session);
    assert!(session.open_calls.is_empty());
    assert_eq!(session.messages[2].tool_results().next().unwrap().state, ToolState::Interrupted);
}

#[tokio::test]
async fn nobody_reading_holds_the_reply_back_and_an_abort_still_ends_it() {
    let long: String = "word ".repeat(2_000);
    let model = Script::new([says(&long)]);
    let agent = agent(&model).build().await.unwrap();
    let stream = agent.reply("s", "Talk").await.unwrap();
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(stored(&agent).await.messages.len(), 1, "the reply waits for its reader");
    stream.abort();
    let result = stream.finish().await;
    assert_eq!(result.response.outcome, Outcome::Aborted);
    assert_whole(&stored(&agent).await);
}
