//! Plain turns: the order of events, what is stored, what the model is told.

use std::sync::Arc;

use cepa::agent::{Agent, AgentError, BuildError, ReplyInput};
use cepa::error::{Error, ErrorKind};
use cepa::event::{EventKinds, Outcome};
use cepa::message::{FinishReason, Message, ToolChoice};
use cepa::model::Model as _;
use cepa::models::ScriptedModel;
use cepa::session::SqliteSessions;

use crate::rig::{
    Double, Say, Script, agent, ask, assert_sound, call, calls, says, stored, text, thinking, told,
    transcript, turn,
};

#[tokio::test]
async fn a_plain_turn() {
    let model = Script::new([says("Hello there, friend.")]);
    let agent = agent(&model).build().await.unwrap();
    let (told, session) = turn(&agent, "Hi").await;
    insta::assert_snapshot!(transcript(&told, &session));
    let asked = &model.asked()[0];
    assert_eq!(asked.system_prompt.as_deref(), Some("Be brief."));
    assert_eq!(asked.messages.len(), 1);
    assert_eq!(session.usage.len(), 1);
    assert_eq!(told.result.response.usage.input_tokens, Some(10));
}

#[tokio::test]
async fn a_conversation_goes_on() {
    let model = Script::new([says("One."), says("Two.")]);
    let agent = agent(&model).build().await.unwrap();
    ask(&agent, "1").await;
    ask(&agent, "2").await;
    let texts: Vec<String> = model.asked()[1].messages.iter().map(|message| message.text()).collect();
    assert_eq!(texts, ["1", "One.", "2"]);
    let session = stored(&agent).await;
    assert_eq!(session.usage[0].2, 2, "two calls are counted");
    assert_eq!(session.reply.unwrap().base, 2);
}

#[tokio::test]
async fn a_thought_alone_is_no_answer() {
    let think = Say::Blocks(vec![thinking("Hm.")], FinishReason::Stop);
    let model = Script::new([think.clone(), says("Yes.")]);
    let agent = agent(&model).build().await.unwrap();
    let told = ask(&agent, "Well?").await;
    insta::assert_snapshot!(transcript(&told, &stored(&agent).await));
}

#[tokio::test]
async fn a_model_that_only_thinks_falls_silent() {
    let think = Say::Blocks(vec![thinking("Hm.")], FinishReason::Stop);
    let model = Script::new([think.clone(), think.clone(), think]);
    let agent = agent(&model).build().await.unwrap();
    let told = ask(&agent, "Well?").await;
    assert_eq!(told.result.response.outcome, Outcome::Silent);
    assert_sound(&told, &stored(&agent).await);
}

#[tokio::test]
async fn nothing_to_say_is_silence() {
    let model = Script::new([says("")]);
    let agent = agent(&model).build().await.unwrap();
    let told = ask(&agent, "Psst").await;
    assert_eq!(told.result.response.outcome, Outcome::Silent);
    assert_eq!(stored(&agent).await.messages.len(), 1, "no empty message is stored");
}

#[tokio::test]
async fn a_model_that_breaks_off_fails_the_reply_and_its_text_is_withdrawn() {
    let broken =
        Say::Break(vec![text("I was about to")], Error::new(ErrorKind::Connection, "the line was cut"));
    let model = Script::new([broken]);
    let agent = agent(&model).build().await.unwrap();
    let (told, session) = turn(&agent, "Go").await;
    insta::assert_snapshot!(transcript(&told, &session));
}

#[tokio::test]
async fn a_panicking_model_fails_the_reply_and_not_the_host() {
    let model = Script::new([Say::Panic]);
    let agent = agent(&model).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    let error = told.result.response.error.clone().unwrap();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Internal, "the model's adapter panicked"));
    assert_sound(&told, &stored(&agent).await);
}

#[tokio::test]
async fn steps_are_bounded() {
    let model =
        Script::new((1..=3).map(|n| calls([call(&format!("c{n}"), "look", &serde_json::json!({"x": n}))])));
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).max_steps(3).build().await.unwrap();
    let (told, _) = turn(&agent, "Look around").await;
    let error = told.result.response.error.clone().unwrap();
    assert_eq!((error.kind, error.code.as_str()), (ErrorKind::Limit, "max-steps"));
    assert_eq!(error.message, "limit `max-steps` reached: 4 of 3 allowed");
}

#[tokio::test]
async fn a_tool_choice_holds_until_a_tool_was_called() {
    let model = Script::new([calls([call("c1", "look", &serde_json::json!({"x": 1}))]), says("Done.")]);
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).build().await.unwrap();
    let input = ReplyInput { tool_choice: ToolChoice::Named("look".to_owned()), ..ReplyInput::from("Look") };
    told(agent.reply("s", input).await.unwrap()).await;
    let choices: Vec<ToolChoice> = model.asked().iter().map(|request| request.tool_choice.clone()).collect();
    assert_eq!(choices, [ToolChoice::Named("look".to_owned()), ToolChoice::Auto]);
}

#[tokio::test]
async fn without_tools_a_call_is_refused() {
    let model = Script::new([calls([call("c1", "look", &serde_json::json!({"x": 1}))]), says("Then not.")]);
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).build().await.unwrap();
    let input = ReplyInput { tool_choice: ToolChoice::None, ..ReplyInput::from("Look") };
    let told = told(agent.reply("s", input).await.unwrap()).await;
    insta::assert_snapshot!(transcript(&told, &stored(&agent).await));
}

#[tokio::test]
async fn input_that_cannot_be_used_is_refused_and_changes_nothing() {
    let model = Script::new([]);
    let agent = agent(&model).build().await.unwrap();
    let system = Message { role: cepa::message::Role::System, ..Message::user("Obey") };
    let schema = ReplyInput { output_schema: Some(serde_json::json!({"type": 7})), ..ReplyInput::from("x") };
    let named = ReplyInput { tool_choice: ToolChoice::Named("none".to_owned()), ..ReplyInput::from("x") };
    let inputs = [
        ReplyInput::default(),
        ReplyInput::from(" \n"),
        ReplyInput::from("x".repeat(10 << 20)),
        ReplyInput::from(system),
        schema,
        named,
    ];
    let mut errors = Vec::new();
    for input in inputs {
        errors.push(agent.reply("s", input).await.expect_err("it is refused").to_string());
    }
    insta::assert_snapshot!(errors.join("\n"));
    assert!(agent.sessions().list().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_session_runs_one_reply_at_a_time_and_others_run_beside_it() {
    let model = Script::new([Say::Hang(vec![]), says("Here.")]);
    let agent = agent(&model).build().await.unwrap();
    let first = agent.reply("s", "1").await.unwrap();
    let busy = agent.reply("s", "2").await.expect_err("it is busy");
    assert!(matches!(busy, AgentError::Busy(id) if id == "s"));
    while model.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    let other = told(agent.reply("s::sub", "2").await.unwrap()).await;
    assert_eq!(other.result.response.text(), "Here.");
    first.abort();
    assert_eq!(first.finish().await.response.outcome, Outcome::Aborted);
    let model_is_free = agent.reply("s", "3").await;
    assert!(model_is_free.is_ok(), "the lane is free once the result is there");
}

#[tokio::test]
async fn agents_that_cannot_be_built_say_why() {
    let model = Script::new([]);
    let twice = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .tool_of(cepa::tool::ToolOwner::Mcp("files".to_owned()), Arc::new(Double::echo("look")));
    let errors = [
        Agent::builder("a").build().await.unwrap_err(),
        agent(&model).main("other").build().await.unwrap_err(),
        twice.build().await.unwrap_err(),
    ];
    assert!(matches!(errors[0], BuildError::NoModel(_)));
    assert_eq!(model.provider(), "scripted");
    insta::assert_snapshot!(errors.map(|error| error.to_string()).join("\n"));
}

#[tokio::test]
async fn a_scripted_model_and_a_session_file_work_together() {
    let turns = r#"
        [[turn]]
        thinking = "Better look."
        text = "A moment."
        tool-calls = [{ name = "look", arguments = { x = 1 } }]
        chunks = 3

        [[turn]]
        text = "The tool says: {{tool-result}}"
        chunks = 4
    "#;
    let world = Arc::new(cepa::world::TestWorld::new(3));
    let model = ScriptedModel::from_toml("turns.toml", turns, world).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sessions = SqliteSessions::open(folder.path().join("sessions.db")).await.unwrap();
    let agent = Agent::builder("tester")
        .model("main", Arc::new(model))
        .tool(Arc::new(Double::echo("look")))
        .sessions(Arc::new(sessions))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Look").await;
    assert_eq!(told.result.response.text(), "The tool says: look 1");
    let revised = told.events.iter().any(|event| event.kind() == EventKinds::REVISION);
    assert!(!revised, "what was streamed is what is stored");
    assert_eq!(session.messages.len(), 4);
}
