//! Waiting for a person or a program outside, and what their answers do.

use std::sync::{Arc, Mutex};

use cepa::agent::{Agent, AgentError, Answer, ReplyInput};
use cepa::event::{Event, Outcome};
use cepa::message::{ResultPart, ToolState};
use cepa::request::ToolResponse;
use cepa::session::ReplyStatus;
use serde_json::json;

use crate::rig::{
    Double, Script, Told, agent, ask, ask_before, assert_sound, call, calls, says, stored, told, transcript,
};

fn approve(call_id: &str) -> Answer {
    Answer::Approve { call_id: call_id.to_owned() }
}

fn edit(call_id: &str, arguments: &str) -> Answer {
    Answer::Edit { call_id: call_id.to_owned(), name: None, arguments: arguments.to_owned() }
}

async fn resume<const N: usize>(agent: &Agent, answers: [Answer; N]) -> Told {
    told(agent.resume("s", answers.into()).await.expect("the reply goes on")).await
}

/// Writes down its calls.
fn noted(name: &str) -> (Double, Arc<Mutex<Vec<String>>>) {
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let tool = {
        let notes = Arc::clone(&notes);
        Double::new(name, move |invocation, _| {
            notes.lock().unwrap().push(invocation.call_id.clone());
            async move {
                let x = invocation.arguments.get("x").cloned().unwrap_or_default();
                Ok(ToolResponse::text_answer(ToolState::Success, format!("wrote {x}")))
            }
        })
    };
    (tool, notes)
}

async fn parked() -> (Agent, Arc<Mutex<Vec<String>>>, Told) {
    let model = Script::new([calls([call("c1", "write", &json!({"x": 1}))]), says("Done.")]);
    let (tool, notes) = noted("write");
    let agent = agent(&model).tool(Arc::new(tool)).permissions(ask_before(&["write"])).build().await.unwrap();
    let told = ask(&agent, "Write").await;
    (agent, notes, told)
}

#[tokio::test]
async fn a_call_that_needs_a_person_parks_the_reply() {
    let (agent, notes, told) = parked().await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert!(notes.lock().unwrap().is_empty());
    assert_eq!(session.reply.as_ref().unwrap().status, ReplyStatus::Parked);
    assert_eq!(agent.pending("s").await.unwrap(), told.result.pending);
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn what_no_session_can_be_named_is_no_question_for_its_calls() {
    let (agent, ..) = parked().await;
    for id in ["", "a\nb", &"s".repeat(129)] {
        assert!(matches!(agent.pending(id).await, Err(AgentError::Input(_))), "{id:?}");
    }
    assert!(agent.pending("unknown").await.unwrap().is_empty());
}

#[tokio::test]
async fn an_approved_call_runs() {
    let (agent, notes, first) = parked().await;
    let told = resume(&agent, [approve("c1")]).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert_eq!(*notes.lock().unwrap(), ["c1"]);
    assert_eq!(told.result.reply_id, first.result.reply_id);
    assert!(agent.pending("s").await.unwrap().is_empty());
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn an_edited_call_shows_what_ran_and_the_model_is_told() {
    let (agent, _, _) = parked().await;
    let told = resume(&agent, [edit("c1", "{\"x\": 2}")]).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_rejected_call_does_not_run() {
    let (agent, notes, _) = parked().await;
    let reject = Answer::Reject { call_id: "c1".to_owned(), reason: Some("not today".to_owned()) };
    let told = resume(&agent, [reject]).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert!(notes.lock().unwrap().is_empty());
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn the_operators_denial_holds_for_an_edited_call() {
    let model = Script::new([calls([call("c1", "write", &json!({"x": 1}))]), says("Done.")]);
    let (tool, notes) = noted("write");
    let mut rules = ask_before(&["write"]);
    rules.deny = vec!["write(x=13)".parse().unwrap()];
    let agent = agent(&model).tool(Arc::new(tool)).permissions(rules).build().await.unwrap();
    ask(&agent, "Write").await;
    let told = resume(&agent, [edit("c1", "{\"x\": 13}")]).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert!(notes.lock().unwrap().is_empty());
    let result = session.messages[2].tool_results().next().unwrap();
    assert_eq!(result.state, ToolState::Denied);
}

#[tokio::test]
async fn part_of_the_answers_leaves_the_rest_waiting() {
    let model = Script::new([
        calls([
            call("c1", "write", &json!({"x": 1})),
            call("c2", "look", &json!({"x": 2})),
            call("c3", "write", &json!({"x": 3})),
            call("c4", "later", &json!({"x": 4})),
        ]),
        says("Done."),
    ]);
    let (write, wrote) = noted("write");
    let (later, ran_later) = noted("later");
    let agent = agent(&model)
        .tool(Arc::new(write))
        .tool(Arc::new(Double::echo("look")))
        .tool(Arc::new(later.alone()))
        .permissions(ask_before(&["write"]))
        .build()
        .await
        .unwrap();
    let first = ask(&agent, "Write").await;
    assert_eq!(first.result.pending.len(), 2, "siblings finish, and what comes later waits");
    assert!(ran_later.lock().unwrap().is_empty());

    let second = resume(&agent, [approve("c3")]).await;
    assert_sound(&second, &stored(&agent).await);
    assert_eq!(second.result.response.outcome, Outcome::Parked);
    assert_eq!(*wrote.lock().unwrap(), ["c3"]);
    assert!(ran_later.lock().unwrap().is_empty());
    let of_c1 = |event: &Event| serde_json::to_string(event).unwrap().contains("\"c1\"");
    assert!(!second.events.iter().any(of_c1), "what still waits is not announced again");

    let third = resume(&agent, [approve("c1")]).await;
    let session = stored(&agent).await;
    assert_sound(&third, &session);
    assert_eq!(third.result.response.text(), "Done.");
    assert_eq!((wrote.lock().unwrap().len(), ran_later.lock().unwrap().len()), (2, 1));
    insta::assert_snapshot!(transcript(&third, &session));
}

#[tokio::test]
async fn answers_that_do_not_fit_change_nothing() {
    let (agent, notes, _) = parked().await;
    let before = stored(&agent).await;
    let result = Answer::Result { call_id: "c1".to_owned(), content: Vec::new(), state: ToolState::Success };
    let tries = [
        vec![],
        vec![approve("c2")],
        vec![approve("c1"), approve("c2")],
        vec![approve("c1"), approve("c1")],
        vec![result],
        vec![edit("c1", "{\"x\": ")],
        vec![edit("c1", "{\"x\": \"one\"}")],
        vec![Answer::Edit {
            call_id: "c1".to_owned(),
            name: Some("wipe".to_owned()),
            arguments: "{}".to_owned(),
        }],
    ];
    let mut errors = Vec::new();
    for answers in tries {
        errors.push(agent.resume("s", answers).await.expect_err("it is refused").to_string());
    }
    errors.push(agent.resume("other", vec![approve("c1")]).await.expect_err("nothing is there").to_string());
    insta::assert_snapshot!(errors.join("\n"));
    assert_eq!(stored(&agent).await, before);
    assert!(notes.lock().unwrap().is_empty());
}

#[tokio::test]
async fn new_input_while_parked_is_refused_unless_the_calls_are_given_up() {
    let (agent, notes, _) = parked().await;
    let refused = agent.reply("s", "Never mind").await.expect_err("it waits");
    assert!(matches!(&refused, AgentError::Waiting { calls, .. } if calls == "`c1` (write)"), "{refused}");
    let input = ReplyInput { discard_pending: true, ..ReplyInput::from("Never mind") };
    let told = told(agent.reply("s", input).await.unwrap()).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    assert!(notes.lock().unwrap().is_empty());
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_program_outside_hands_in_a_result() {
    let model = Script::new([calls([call("c1", "deploy", &json!({"x": 1}))]), says("Deployed.")]);
    let agent = agent(&model).tool(Arc::new(Double::echo("deploy").external())).build().await.unwrap();
    let first = ask(&agent, "Deploy").await;
    assert!(first.result.pending[0].external);
    let approved = agent.resume("s", vec![approve("c1")]).await.expect_err("it wants a result").to_string();
    assert_eq!(
        approved,
        "the answer to call `c1` can't be used: a program outside runs it, so it wants a result"
    );
    let content = vec![ResultPart::text("version 7")];
    let answer = Answer::Result { call_id: "c1".to_owned(), content, state: ToolState::Success };
    let told = resume(&agent, [answer]).await;
    let session = stored(&agent).await;
    assert_sound(&told, &session);
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn sequential_calls_stop_at_the_first_question() {
    let model = Script::new([
        calls([call("c1", "write", &json!({"x": 1})), call("c2", "next", &json!({"x": 2}))]),
        says("Done."),
    ]);
    let (write, _) = noted("write");
    let (next, ran) = noted("next");
    let agent = agent(&model)
        .tool(Arc::new(write.alone()))
        .tool(Arc::new(next.alone()))
        .permissions(ask_before(&["write"]))
        .build()
        .await
        .unwrap();
    ask(&agent, "Go").await;
    assert!(ran.lock().unwrap().is_empty());
    let told = resume(&agent, [approve("c1")]).await;
    assert_sound(&told, &stored(&agent).await);
    assert_eq!(*ran.lock().unwrap(), ["c2"]);
}
