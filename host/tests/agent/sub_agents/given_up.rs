//! Runs that nobody waits for any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use cepa::chain::{Acting, HookFuture, HookKind, Layer, Next, Sink};
use cepa::event::{Event, EventKinds, Outcome};
use cepa::message::ToolState;
use cepa::request::{ToolRequest, ToolResponse, TurnSummary};
use cepa::services::AgentCall;
use futures::FutureExt as _;
use serde_json::json;
use tokio::sync::Notify;

use crate::rig::{Double, Script, agent, ask, call, calls, entry, says};

use super::{answers, boss, conversation, helper, sessions};

fn find_it() -> AgentCall {
    AgentCall { agent: "helper".to_owned(), thread: None, prompt: "Find it.".to_owned() }
}

#[tokio::test]
async fn a_run_that_is_given_up_while_it_begins_is_told_of() {
    let hasty = boss("boss", |services| async move {
        assert!(services.run_agent("boss".to_owned(), find_it()).now_or_never().is_none());
        Ok(())
    });
    let agent = agent(&answers()).sub_agent(helper(&answers())).middleware(hasty).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    let [session] = &sessions(&told)[..] else { panic!("one run: {:?}", told.items) };
    assert_eq!(conversation(&agent, session).await[0], "user: Find it.");
}

/// Begins a tool call, and once its sub-agent is at work gives it up for a second one.
struct Impatient(Arc<Notify>);

impl Layer for Impatient {
    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            let mut first = next.start(request.clone()).await?;
            while !first.next(EventKinds::TOOL_RESULT).await?.iter().any(begins_result) {}
            self.0.notified().await;
            Ok(next.run(request).await?)
        })
    }
}

fn begins_result(event: &Event) -> bool {
    matches!(event, Event::ToolResultStart { .. })
}

/// Takes its time at the end of a reply.
struct Tidies(Arc<Mutex<Vec<&'static str>>>);

impl Layer for Tidies {
    fn on_turn_end(self: Arc<Self>, _turn: TurnSummary) -> HookFuture<()> {
        Box::pin(async move {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            self.0.lock().unwrap().push("ended");
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_second_run_waits_for_the_sub_agents_of_the_first() {
    let (done, at_work) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Notify::new()));
    let look = {
        let (done, at_work, hung) = (Arc::clone(&done), Arc::clone(&at_work), AtomicBool::new(false));
        Double::new("look", move |_, _| {
            done.lock().unwrap().push("looks");
            at_work.notify_one();
            let hangs = !hung.swap(true, Ordering::SeqCst);
            async move {
                if hangs {
                    std::future::pending::<()>().await;
                }
                Ok(ToolResponse::text_answer(ToolState::Success, "gold"))
            }
        })
    };
    let looks = || calls([call("c1", "look", &json!({"x": 1}))]);
    let inner = helper(&Script::new([looks(), looks(), says("Here.")]))
        .tool(Arc::new(look))
        .middleware(entry("tidies", &[HookKind::TurnEnd], Tidies(Arc::clone(&done))));
    let asks = Double::new("ask", |invocation, _| async move {
        let run = invocation.context.services.run_agent("boss".to_owned(), find_it()).await?;
        Ok(ToolResponse::text_answer(ToolState::Success, run.response.text()))
    });
    let model = Script::new([calls([call("c2", "ask", &json!({"x": 1}))]), says("Done.")]);
    let agent = agent(&model)
        .tool(Arc::new(asks))
        .sub_agent(inner)
        .middleware(entry("impatient", &[HookKind::Acting], Impatient(at_work)))
        .build()
        .await
        .unwrap();
    assert_eq!(ask(&agent, "Go").await.result.response.outcome, Outcome::Replied);
    assert_eq!(*done.lock().unwrap(), ["looks", "ended", "looks", "ended"]);
}
