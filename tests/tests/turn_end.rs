//! `on-turn-end` of a component: once on each path.

use cepa::agent::Agent;
use cepa::event::Event;
use cepa_tests::agent::{Echo, agent, ask, ask_and_abort, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use std::sync::Arc;

async fn watched(script: &str, tool: Echo) -> Agent {
    let component = load("watch-end", guest!("watch-end")).await;
    let entry = LayerPlan::new("end").entry(&component);
    agent(&model(script)).tool(Arc::new(tool)).middleware(entry).build().await.unwrap()
}

const CALLS: &str = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "look", arguments = { x = 1 } }]
usage = { input-tokens = 20, output-tokens = 5 }

[[turn]]
text = "Seen."
usage = { input-tokens = 30, output-tokens = 5 }
"#;

#[tokio::test]
async fn a_reply_with_an_answer() {
    let agent = watched(CALLS, Echo::new("look")).await;
    insta::assert_snapshot!(ask(&agent, "Look").await.log(), @r#"end: Outcome::Replied: Some("Seen."), None, 2 steps, 1 tool calls, Some(50) tokens in, 0 ms"#);
}

#[tokio::test]
async fn a_reply_with_nothing_to_say() {
    let agent = watched("[[turn]]\ntext = \" \"", Echo::new("look")).await;
    insta::assert_snapshot!(ask(&agent, "Look").await.log(), @"end: Outcome::Silent: None, None, 1 steps, 0 tool calls, None tokens in, 0 ms");
}

#[tokio::test]
async fn a_reply_that_fails() {
    let script = "[[turn]]\ntext = \"Hel\"\nerror = { kind = \"overloaded\", message = \"too busy\" }";
    let agent = watched(script, Echo::new("look")).await;
    insta::assert_snapshot!(ask(&agent, "Look").await.log(), @r#"end: Outcome::Failed: None, Some("too busy"), 1 steps, 0 tool calls, None tokens in, 0 ms"#);
}

#[tokio::test]
async fn a_reply_that_parks_and_is_never_resumed() {
    let agent = watched(CALLS, Echo::new("look").parking()).await;
    insta::assert_snapshot!(ask(&agent, "Look").await.log(), @"end: Outcome::Parked: None, None, 1 steps, 0 tool calls, Some(20) tokens in, 0 ms");
}

#[tokio::test]
async fn a_reply_that_is_aborted() {
    let agent = watched(CALLS, Echo::new("look").hanging()).await;
    let begun = |event: &Event| matches!(event, Event::ToolResultText { .. });
    insta::assert_snapshot!(ask_and_abort(&agent, "Look", begun).await.log(), @"end: Outcome::Aborted: None, None, 1 steps, 1 tool calls, Some(20) tokens in, 0 ms");
}
