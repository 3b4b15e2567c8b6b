//! Sub-agents as components run them.

use std::sync::Arc;

use cepa::agent::{Agent, AgentBuilder};
use cepa::chain::{Note, NoteKind};
use cepa::event::Outcome;
use cepa::model::Model;
use cepa::models::ScriptedModel;
use cepa::policy::Grants;
use cepa_tests::agent::{agent, ask, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::{Value, json};

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nusage = { input-tokens = 100 }\nrepeat = true";
const HELPS: &str = "[[turn]]\ntext = \"Found {{last-user}}\"\nusage = { input-tokens = 7 }\nrepeat = true";

fn granted(name: &str, agents: &[&str]) -> LayerPlan {
    let agents = agents.iter().map(|agent| (*agent).to_owned()).collect();
    LayerPlan::new(name).grants(Grants { agents, state: true, ..Grants::default() })
}

fn helper(name: &str, model: &ScriptedModel) -> AgentBuilder {
    Agent::builder(name).model("small", Arc::new(model.clone()) as Arc<dyn Model>)
}

/// An agent with a layer that runs `helper` and `other`.
async fn delegating(plan: LayerPlan, runs: Value, times: usize) -> Agent {
    let config = json!({ "runs": runs, "times": times });
    let entry = plan.config(config).entry(&load("delegate", guest!("delegate")).await);
    let helps = model(HELPS);
    agent(&model(ANSWERS))
        .sub_agent(helper("helper", &helps))
        .sub_agent(helper("other", &helps))
        .middleware(entry)
        .build()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_layer_runs_granted_agents_and_goes_on_with_their_threads() {
    let runs = json!([
        ["helper", "new", "gold"],
        ["helper", "kept", "more"],
        ["other", "kept", "silver"],
        ["helper", "made-up", "iron"],
        ["nobody", "new", "tin"],
    ]);
    let agent = delegating(granted("boss", &["*"]), runs, 1).await;
    let told = ask(&agent, "Go").await;
    insta::assert_snapshot!(told.log());
    assert_eq!(told.streamed(), "Answer.");
    assert_eq!(told.result.response.usage.input_tokens, Some(114));
    let [(layer, _, line)] = told.result.layers.as_slice() else { panic!("one layer at one hook") };
    assert_eq!((layer.as_str(), line.spent.internal_tokens), ("boss", 14));
    let ran = told.notes.iter().filter(|note| matches!(note.kind, NoteKind::AgentRun { .. }));
    assert_eq!(ran.count(), 2);
}

#[tokio::test]
async fn what_a_sub_agents_layers_do_is_told_and_counted_under_their_names() {
    let component = load("delegate", guest!("delegate")).await;
    let inner = LayerPlan::new("inner").config(json!({ "runs": [["helper", "new", "x"]] })).entry(&component);
    let outer =
        granted("outer", &["helper"]).config(json!({ "runs": [["helper", "new", "x"]] })).entry(&component);
    let agent = agent(&model(ANSWERS))
        .sub_agent(helper("helper", &model(HELPS)).middleware(inner))
        .middleware(outer)
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Go").await;
    insta::assert_snapshot!(told.log());
    let denied = |note: &Note| match &note.kind {
        NoteKind::Denied { capability, object } => Some(format!("{}: {capability} {object}", note.layer)),
        _ => None,
    };
    let denied: Vec<String> = told.notes.iter().filter_map(denied).collect();
    assert_eq!(denied, ["inner: agents ", "inner: agents helper"]);
    let layers: Vec<&str> = told.result.layers.iter().map(|(layer, ..)| layer.as_str()).collect();
    assert_eq!(layers, ["inner", "outer"]);
}

#[tokio::test]
async fn a_circle_of_agents_ends() {
    let component = load("delegate", guest!("delegate")).await;
    let runs = json!({ "runs": [["helper", "new", "x"]] });
    let layer = |name| granted(name, &["helper"]).config(runs.clone()).entry(&component);
    let agent = agent(&model(ANSWERS))
        .sub_agent(helper("helper", &model(HELPS)).middleware(layer("inner")))
        .middleware(layer("outer"))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Go").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    let log = told.log();
    assert_eq!(log.matches("limit `agent-depth` reached: 5 of 4 allowed").count(), 1, "{log}");
    assert_eq!(log.matches("Replied \"Found x\"").count(), 4, "{log}");
    assert_eq!(told.result.response.usage.input_tokens, Some(128));
}

#[tokio::test]
async fn a_prompt_is_bounded() {
    let runs = json!([["helper", "new", "0123456789abcdef"]]);
    let agent = delegating(granted("boss", &["helper"]), runs, (4 << 20) / 16 + 1).await;
    let log = ask(&agent, "Go").await.log();
    let refused = "helper: ErrorKind::InvalidInput \"\" the prompt can't be used: it has 4194320 bytes of text, \
                   and 4194304 is the limit";
    assert!(log.contains(refused), "{log}");
}

#[tokio::test]
async fn agents_that_were_not_granted_are_refused_and_noted() {
    let runs = json!([["helper", "new", "gold"], ["nobody", "new", "tin"]]);
    let agent = delegating(LayerPlan::new("boss"), runs.clone(), 1).await;
    insta::assert_snapshot!(ask(&agent, "Go").await.log());
    let told = ask(&delegating(granted("boss", &["other"]), runs, 1).await, "Go").await;
    insta::assert_snapshot!(told.log());
    let denied = |note: &Note| match &note.kind {
        NoteKind::Denied { capability, object } => Some(format!("{}: {capability} {object}", note.layer)),
        _ => None,
    };
    let denied: Vec<String> = told.notes.iter().filter_map(denied).collect();
    assert_eq!(denied, ["boss: agents helper", "boss: agents nobody"]);
    assert_eq!(told.result.response.usage.input_tokens, Some(100));
}
