//! How replies end, seen from where other hosts were found wanting: every call with its result, every end observed,
//! and what a person decided done to the letter.

use std::sync::{Arc, Mutex};

use cepa::agent::{Agent, AgentBuilder, Answer, ReplyInput};
use cepa::chain::{HookFuture, HookKind, Layer, Next, Reply, Sink};
use cepa::error::{Error, ErrorKind};
use cepa::event::{Event, EventKinds, Outcome};
use cepa::message::{FinishReason, Message, ToolState};
use cepa::request::{ReplyRequest, ReplyResponse, TurnSummary};
use cepa::session::{SessionStore, SqliteSessions};
use serde_json::json;

use crate::rig::{
    Double, Say, Script, agent, ask, ask_and_abort, ask_before, assert_sound, call, calls, entry, line, says,
    stored, told, turn,
};

/// Notes how each reply ends.
struct Observer(Arc<Mutex<Vec<Outcome>>>);

impl Layer for Observer {
    fn on_turn_end(self: Arc<Self>, turn: TurnSummary) -> HookFuture<()> {
        self.0.lock().unwrap().push(turn.outcome);
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn each_kind_of_end_is_observed_once() {
    let model = Script::new([
        says("Yes."),
        says(""),
        Say::Break(Vec::new(), Error::new(ErrorKind::Connection, "cut")),
        Say::Hang(Vec::new()),
        calls([call("c1", "look", &json!({"x": 1}))]),
    ]);
    let ends: Arc<Mutex<Vec<Outcome>>> = Arc::default();
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .permissions(ask_before(&["look"]))
        .middleware(entry("ends", &[HookKind::TurnEnd], Observer(Arc::clone(&ends))))
        .build()
        .await
        .unwrap();
    for _ in 0..3 {
        ask(&agent, "Go").await;
    }
    ask_and_abort(&agent, "Go", |event| matches!(event, Event::ModelCallStart { .. })).await;
    ask(&agent, "Go").await;
    let ends = ends.lock().unwrap().clone();
    let expected = [Outcome::Replied, Outcome::Silent, Outcome::Failed, Outcome::Aborted, Outcome::Parked];
    assert_eq!(ends, expected);
}

/// Ends the reply with words of its own as soon as a tool runs.
struct Impatient;

impl Layer for Impatient {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            let mut run = next.start(request).await?;
            run.next(EventKinds::TOOL_RESULT).await?;
            drop(run);
            Ok(ReplyResponse::answer(vec![crate::rig::text("Enough.")]))
        })
    }
}

#[tokio::test]
async fn a_layer_that_ends_a_reply_early_leaves_no_call_without_a_result() {
    let model = Script::new([calls([
        call("c1", "hang", &json!({"x": 1})),
        call("c2", "hang", &json!({"x": 2})),
        call("c3", "alone", &json!({"x": 3})),
    ])]);
    let agent = agent(&model)
        .tool(Arc::new(Double::new("hang", |_, _| std::future::pending())))
        .tool(Arc::new(Double::echo("alone").alone()))
        .middleware(entry("impatient", &[HookKind::Reply], Impatient))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Look").await;
    assert_eq!(told.result.response.text(), "Enough.");
    let states: Vec<ToolState> =
        session.messages.iter().flat_map(Message::tool_results).map(|result| result.state).collect();
    assert_eq!(states, [ToolState::Interrupted; 3]);
    assert!(session.open_calls.is_empty());
}

#[tokio::test]
async fn mixed_decisions_in_any_order_are_each_followed_for_its_own_call() {
    let ask_for = |id: &str, x: u32| call(id, "write", &json!({"x": x}));
    let model = Script::new([calls([ask_for("c1", 1), ask_for("c2", 2), ask_for("c3", 3)]), says("Done.")]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("write")))
        .permissions(ask_before(&["write"]))
        .build()
        .await
        .unwrap();
    ask(&agent, "Write").await;
    let answers = vec![
        Answer::Edit { call_id: "c3".to_owned(), name: None, arguments: "{\"x\": 33}".to_owned() },
        Answer::Reject { call_id: "c1".to_owned(), reason: None },
        Answer::Approve { call_id: "c2".to_owned() },
    ];
    let told = told(agent.resume("s", answers).await.unwrap()).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    let results: Vec<String> = session.messages[2..5].iter().map(line).collect();
    assert!(results[0].starts_with("tool: c1 Denied"), "{results:?}");
    assert_eq!(results[1], "tool: c2 Success write 2");
    assert!(results[2].starts_with("tool: c3 Success write 33"), "{results:?}");
}

/// A process with this model on a session file.
async fn process(file: &std::path::Path, model: &Arc<Script>) -> AgentBuilder {
    let sessions: Arc<dyn SessionStore> = Arc::new(SqliteSessions::open(file).await.unwrap());
    agent(model).tool(Arc::new(Double::echo("write"))).permissions(ask_before(&["write"])).sessions(sessions)
}

async fn approve(agent: &Agent, call_id: &str) -> crate::rig::Told {
    let answer = Answer::Approve { call_id: call_id.to_owned() };
    told(agent.resume("s", vec![answer]).await.unwrap()).await
}

#[tokio::test]
async fn the_schema_and_the_steps_of_a_parked_reply_outlive_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let write = |id: &str| calls([call(id, "write", &json!({"x": 1}))]);
    let schema = json!({"type": "object", "required": ["done"]});
    let first = process(&file, &Script::new([write("c1")])).await.build().await.unwrap();
    let input = ReplyInput { output_schema: Some(schema), ..ReplyInput::from("Write") };
    let parked = told(first.reply("s", input).await.unwrap()).await;
    assert_eq!(parked.result.response.outcome, Outcome::Parked);
    drop(first);

    let model = Script::new([
        says("no JSON"),
        Say::Blocks(vec![crate::rig::text("{\"done\": 1}")], FinishReason::Stop),
    ]);
    let second = process(&file, &model).await.build().await.unwrap();
    let ended = approve(&second, "c1").await;
    assert_eq!(ended.result.response.structured_output, Some(json!({"done": 1})));
    assert_eq!(model.asked().len(), 2, "an answer that does not match is asked for again");
    assert_eq!(ended.result.response.steps, 2);
    drop(second);

    let third = process(&file, &Script::new([write("c2")])).await.max_steps(1).build().await.unwrap();
    ask(&third, "Once more").await;
    drop(third);
    let fourth = process(&file, &Script::new([])).await.max_steps(1).build().await.unwrap();
    let ended = approve(&fourth, "c2").await;
    assert_eq!(ended.result.response.error.as_ref().map(|error| error.code.as_str()), Some("max-steps"));
    assert_sound(&ended, &stored(&fourth).await);
}
