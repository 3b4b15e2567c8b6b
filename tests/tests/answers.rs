//! Components that change what goes out and what the model is asked: `on-events`, `on-draft`, `on-reasoning`,
//! `on-compress-context` and a second run of `on-reply`.

use std::sync::Arc;

use cepa::agent::Agent;
use cepa::event::{Event, Outcome};
use cepa::message::ToolChoice;
use cepa::model::Model;
use cepa::models::ScriptedModel;
use cepa::policy::{Access, Grants};
use cepa_tests::agent::{Echo, agent, ask, conversation, line, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::json;

async fn with(model: &ScriptedModel, name: &str, bytes: &[u8], plan: LayerPlan) -> Agent {
    let component = load(name, bytes).await;
    agent(model).middleware(plan.entry(&component)).build().await.unwrap()
}

#[tokio::test]
async fn a_secret_that_is_split_over_two_events_reaches_neither_reader_nor_store() {
    let model = model("[[turn]]\nchunks = [\"The word is swo\", \"rdfish, swo\", \"n.\"]\nrepeat = true");
    let plan = LayerPlan::new("redact").config(json!({ "secret": "swordfish" }));
    let agent = with(&model, "redact", guest!("redact"), plan).await;
    for round in 1..=2 {
        let told = ask(&agent, "Which?").await;
        assert_eq!(told.streamed(), "The word is ***, swon.", "round {round}");
        assert_eq!(told.result.response.text(), "The word is ***, swon.");
        // The same instance in each reply saw all pieces of it, and none of the reply before.
        assert_eq!(told.log(), "redact: saw 3 pieces of text\n", "round {round}");
        assert!(matches!(told.events.last(), Some(Event::ReplyEnd { outcome: Outcome::Replied, .. })));
    }
    assert_eq!(conversation(&agent).await[1], "assistant: The word is ***, swon.");
}

const THREE_DRAFTS: &str = r#"
[[turn]]
text = "Yes."

[[turn]]
text = "Certainly."

[[turn]]
text = "Yes, please."
"#;

#[tokio::test]
async fn a_draft_is_asked_for_again_until_it_will_do() {
    let model = model(THREE_DRAFTS);
    let plan = LayerPlan::new("review").config(json!({ "want": "please" }));
    let agent = with(&model, "review", guest!("review"), plan).await;
    let told = ask(&agent, "Tea?").await;
    insta::assert_snapshot!(told.log(), @r#"
    review: draft 1 of 3: "Yes."
    review: draft 2 of 3: "Certainly."
    review: draft 3 of 3: "Yes, please."
    "#);
    assert_eq!(told.streamed(), "Yes, please.");
    assert_eq!(conversation(&agent).await, ["user: Tea?", "assistant: Yes, please."]);
    let asked: Vec<String> = model.requests()[2].messages.iter().map(|message| line(message)).collect();
    insta::assert_snapshot!(asked.join("\n"), @r#"
    user: Tea?
    assistant: Yes.
    user: [review: say `please`]
    assistant: Certainly.
    user: [review: say `please`]
    "#);
}

#[tokio::test]
async fn after_the_last_draft_nothing_goes_out() {
    let model = model(THREE_DRAFTS);
    let plan = LayerPlan::new("review").config(json!({ "want": "thank you" }));
    let agent = with(&model, "review", guest!("review"), plan).await;
    let told = ask(&agent, "Tea?").await;
    assert_eq!(told.result.response.outcome, Outcome::Failed);
    assert_eq!(told.streamed(), "");
    assert_eq!(conversation(&agent).await, ["user: Tea?"]);
    insta::assert_snapshot!(told.result.response.error.as_ref().unwrap().to_string(), @"limit `draft-attempts` reached: 3 of 3 drafts were rejected, so nothing goes out");
}

#[tokio::test]
async fn a_replaced_draft_is_announced_and_stored() {
    let model = model("[[turn]]\ntext = \"Yes.\"");
    let plan = LayerPlan::new("review").config(json!({ "replace": "Yes, please." }));
    let agent = with(&model, "review", guest!("review"), plan).await;
    let told = ask(&agent, "Tea?").await;
    assert!(told.events.iter().any(|event| matches!(event, Event::MessageReplaced { .. })));
    assert_eq!(told.streamed(), "Yes, please.");
    assert_eq!(conversation(&agent).await, ["user: Tea?", "assistant: Yes, please."]);
}

#[tokio::test]
async fn a_second_run_of_the_reply_begins_anew_with_its_own_input() {
    let model = model("[[turn]]\ntext = \"Heard {{last-user}}.\"\nrepeat = true");
    let agent = with(&model, "twice", guest!("twice"), LayerPlan::new("twice")).await;
    let told = ask(&agent, "Count:").await;
    assert_eq!(told.streamed(), "Heard Count: two.");
    assert_eq!(model.requests().len(), 2);
    assert_eq!(model.requests()[1].messages.len(), 1, "nothing stale from the first run");
    assert_eq!(conversation(&agent).await, ["user: Count: |  two", "assistant: Heard Count: two."]);
}

const CALLS_PEEK: &str = r#"
[[turn]]
tool-calls = [
    { id = "c1", name = "look", arguments = {} },
    { id = "c2", name = "peek", arguments = {} },
]

[[turn]]
text = "Seen."
"#;

#[tokio::test]
async fn a_steps_reasoning_is_steered() {
    let (model, look, peek) = (model(CALLS_PEEK), Echo::new("look"), Echo::new("peek"));
    let plan = LayerPlan::new("steer").config(json!({ "hint": "hurry", "tools": ["peek"] }));
    let component = load("steer", guest!("steer")).await;
    let agent = agent(&model)
        .tool(Arc::new(look.clone()))
        .tool(Arc::new(peek.clone()))
        .middleware(plan.entry(&component))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Look").await;
    insta::assert_snapshot!(told.log(), @r#"
    steer: Err("no tool `no-such-tool` in the catalogue")
    steer: Err("the value is no JSON: key must be a string at line 1 column 2")
    steer: step 1 offers ["look", "peek"]
    "#);
    let requests = model.requests();
    let offered = |at: usize| requests[at].tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (offered(0), offered(1)),
        (vec!["peek".to_owned()], vec!["look".to_owned(), "peek".to_owned()])
    );
    assert_eq!(requests[0].tool_choice, ToolChoice::Required);
    assert_eq!(requests[0].parameters.get("temperature"), Some(&json!(0.5)));
    assert_eq!(line(requests[0].messages.last().unwrap()), "user: [steer: hurry]");
    assert_eq!((look.calls(), peek.calls()), (0, 1), "what was not offered is not run");
    insta::assert_snapshot!(conversation(&agent).await.join("\n"), @r#"
    user: Look
    assistant: c1 = look({}) | c2 = peek({})
    tool: c1 Error there is no tool `look` to be called now; there are: peek
    tool: c2 Success peek {}
    assistant: Seen. Indeed.
    "#);
    assert_eq!(told.streamed(), "Seen. Indeed.");
}

#[tokio::test]
async fn a_component_compresses_the_conversation_into_a_summary_of_another_model() {
    let main = model(
        "[[turn]]\ntext = \"Answer.\"\nusage = { input-tokens = 100, output-tokens = 10 }\nrepeat = true",
    )
    .with_context_tokens(1000);
    let small = model(
        "[[turn]]\ntext = \"[{{last-user}}]\"\nusage = { input-tokens = 7, output-tokens = 3 }\nrepeat = true",
    );
    let component = load("summarise", guest!("summarise")).await;
    let plan =
        LayerPlan::new("summarise").config(json!({ "messages": 3, "model": "small" })).grants(Grants {
            models: vec!["small".to_owned()],
            conversation: Access::Write,
            ..Grants::default()
        });
    let agent = agent(&main)
        .model("small", Arc::new(small.clone()) as Arc<dyn Model>)
        .middleware(plan.entry(&component))
        .build()
        .await
        .unwrap();
    ask(&agent, "One").await;
    let second = ask(&agent, "Two").await;
    assert_eq!(small.requests().len(), 0, "three messages are not too many");
    let third = ask(&agent, "Three").await;
    insta::assert_snapshot!(second.log() + &third.log(), @r#"
    summarise: step 1: 3 messages, 5 tokens of Some(1000)
    summarise: step 1: 5 messages, 8 tokens of Some(1000)
    "#);
    assert_eq!(
        conversation(&agent).await,
        ["user: Earlier: [One\nAnswer.\nTwo\nAnswer.]", "user: Three", "assistant: Answer."]
    );
    assert!(small.requests()[0].internal);
    assert_eq!(third.streamed(), "Answer.", "an internal call is not streamed");
    let calls = third.events.iter().filter(|event| matches!(event, Event::ModelCallStart { .. })).count();
    assert_eq!(calls, 1);
    assert_eq!(third.result.response.usage.input_tokens, Some(107), "and it is counted");
}
