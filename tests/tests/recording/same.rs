//! With the same answers of the host a guest does the same.

use std::sync::Arc;
use std::time::Duration;

use cepa::policy::{Access, Grants};
use cepa::world::RealWorld;
use cepa_tests::agent::{Echo, agent, model};
use cepa_tests::chain::LayerPlan;
use cepa_tests::guest;
use cepa_tests::recording::record;
use serde_json::json;

const ANSWERS: &str = "[[turn]]\ntext = \"Answer, in several words.\"\nrepeat = true";

const LOOKS_ONCE: &str = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "tool-of-it", arguments = {} }]

[[turn]]
text = "{{system}} {{tool-result}}"
"#;

fn grants() -> Grants {
    Grants {
        state: true,
        models: vec!["*".to_owned()],
        tools: vec!["*".to_owned()],
        conversation: Access::Write,
        ..Grants::default()
    }
}

#[tokio::test]
async fn state_time_chance_and_calls_of_models_and_tools() {
    let config = json!({
        "before": [
            { "set": ["reply", "a", "1"] },
            { "get": ["reply", "a"] },
            { "increment": ["session", "n", 1] },
            { "keys": ["reply", ""] },
            { "sleep": 1 },
            { "random-bytes": 40 },
            "chance",
            "who",
            "aliases",
            { "complete": ["main", "What?"] },
            "catalogue",
            { "call": ["echo", "{\"text\": \"x\"}"] },
            { "call": ["none", "{}"] },
            "count",
            { "read": [0, 1] },
            { "replace": [0, 9, []] },
        ],
        "after": [{ "get": ["layer", "absent"] }],
    });
    let agent =
        agent(&model(ANSWERS)).tool(Arc::new(Echo::new("echo"))).world(Arc::new(RealWorld::default()));
    let plan = LayerPlan::new("uses").grants(grants()).config(config);
    let taken = record(agent, plan, guest!("uses")).await;
    assert_eq!(taken.told.result.response.text(), "Answer, in several words.");
    let calls = taken.is_the_same().await;
    assert_eq!(calls.len(), 1, "{calls:?}");
}

#[tokio::test]
async fn a_stream_that_is_read_with_start_and_sent_on() {
    let taken = record(agent(&model(ANSWERS)), LayerPlan::new("observe"), guest!("observe")).await;
    assert_eq!(taken.told.streamed(), "Answer, in several words.");
    taken.is_the_same().await;
}

#[tokio::test]
async fn every_hook_also_within_another_and_the_tools_of_a_layer() {
    let taken = record(agent(&model(LOOKS_ONCE)), LayerPlan::new("it"), guest!("every-hook")).await;
    let calls = taken.is_the_same().await;
    let exports: std::collections::BTreeSet<&str> =
        calls.iter().filter_map(|call| call.split(' ').nth(1)).collect();
    insta::assert_snapshot!(exports.into_iter().collect::<Vec<_>>().join("\n"), @r"
    on-acting.handle
    on-check-permission.handle
    on-compress-context.handle
    on-draft.review
    on-events.kinds
    on-events.transform
    on-model-call.handle
    on-reasoning.handle
    on-reply.handle
    on-system-prompt.transform
    on-turn-end.observe
    tool-source.call-tool
    tool-source.list-tools
    ");
}

#[tokio::test]
async fn a_filter_that_remembers_from_call_to_call() {
    let plan = LayerPlan::new("redact").config(json!({ "secret": "several" }));
    let taken = record(agent(&model(ANSWERS)), plan, guest!("redact")).await;
    assert_eq!(taken.told.streamed(), "Answer, in *** words.");
    taken.is_the_same().await;
}

#[tokio::test]
async fn the_time_and_the_chance_of_wasi() {
    let taken = record(agent(&model(ANSWERS)), LayerPlan::new("chance"), guest!("wasi-chance")).await;
    taken.is_the_same().await;
    let text = taken.text();
    for function in ["insecure-seed", "wall-clock", "monotonic-clock", "random", "insecure-random"] {
        assert!(text.contains(&format!("\"wasi.{function}\"")), "no `{function}` in {text}");
    }
}

#[tokio::test]
async fn each_bundled_middleware_that_needs_no_configuration() {
    let mut replayed = 0;
    for name in cepa::bundled::names() {
        let plan =
            LayerPlan::new(name).grants(grants()).limits(|limits| limits.cpu = Duration::from_secs(60));
        let bytes = cepa::bundled::bundled(name).unwrap();
        let component = cepa_tests::chain::load(name, bytes).await;
        if cepa_tests::chain::sandbox().middleware(plan.spec.clone(), &component).is_err() {
            continue;
        }
        let agent = agent(&model(ANSWERS)).tool(Arc::new(Echo::new("echo")));
        record(agent, plan, bytes).await.is_the_same().await;
        replayed += 1;
    }
    assert!(replayed > 5, "{replayed}");
}
