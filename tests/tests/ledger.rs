//! What each layer spent, as the ledger tells it at a reply's end.

use std::sync::Arc;
use std::time::Duration;

use cepa::chain::{HookKind, LayerLine, OnFault};
use cepa::policy::Grants;
use cepa::world::RealWorld;
use cepa_tests::agent::{Told, agent, ask, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::json;

const ANSWERS: &str =
    "[[turn]]\ntext = \"Answer.\"\nusage = { input-tokens = 100, output-tokens = 7 }\nrepeat = true";

/// One reply with one layer, in the real world: what is spent is measured there.
async fn reply(plan: LayerPlan, component: &[u8]) -> Told {
    let entry = plan.entry(&load("layer", component).await);
    let agent =
        agent(&model(ANSWERS)).world(Arc::new(RealWorld::default())).middleware(entry).build().await.unwrap();
    ask(&agent, "Hello").await
}

fn line(told: &Told, hook: HookKind) -> LayerLine {
    let found = told.result.layers.iter().find(|(layer, kind, _)| layer == "layer" && *kind == hook);
    found.unwrap_or_else(|| panic!("no line of {hook:?}: {:#?}", told.result.layers)).2.clone()
}

#[tokio::test]
async fn what_a_layer_uses_is_counted_by_hook() {
    let grants = Grants { state: true, models: vec!["main".to_owned()], ..Grants::default() };
    let config = json!({ "before": [
        { "set": ["session", "key", "value"] },
        { "compare-and-set": ["session", "key", "value", "longer"] },
        { "compare-and-set": ["session", "key", "no", "not written"] },
        { "increment": ["reply", "n", 12] },
        { "complete": ["main", "What?"] },
        { "sleep": 30 },
    ] });
    let told = reply(LayerPlan::new("layer").grants(grants).config(config), guest!("uses")).await;
    let LayerLine { calls, micros, spent, .. } = line(&told, HookKind::Reply);
    assert_eq!(calls, 1);
    assert_eq!(spent.state_bytes, 8 + 9 + 3, "keys and values that were written");
    assert_eq!(spent.internal_tokens, 107, "the reply's own model call is not the layer's");
    let logged: usize = told.log().lines().map(|line| line.trim_start_matches("layer: ").len() + 1).sum();
    assert_eq!(spent.log_bytes, logged as u64);
    assert!(spent.host_calls > 12, "a call of each use, and one for each log line: {spent:?}");
    assert!(spent.bytes_copied > spent.log_bytes, "{spent:?}");
    assert!((64 << 10..64 << 20).contains(&spent.memory_peak), "{spent:?}");
    assert!((30_000..=micros).contains(&spent.own_micros), "{micros} {spent:?}");
    assert!(spent.cpu_micros <= spent.own_micros - 30_000, "sleeping is not computing: {spent:?}");
    assert_eq!(spent.events, 0);
}

#[tokio::test]
async fn what_is_inside_is_not_the_layers_own() {
    let script = "[[turn]]\ntext = \"Answer.\"\ndelay-ms = 40";
    let entry = LayerPlan::new("layer").entry(&load("layer", guest!("passthrough")).await);
    let world = Arc::new(RealWorld::default());
    let model = cepa::models::ScriptedModel::from_toml("test", script, Arc::clone(&world) as _).unwrap();
    let agent = agent(&model).world(world).middleware(entry).build().await.unwrap();
    let line = line(&ask(&agent, "Hello").await, HookKind::ModelCall);
    assert!(line.micros >= 40_000, "{line:?}");
    assert!(line.spent.own_micros < line.micros - 40_000 + 1_000, "{line:?}");
}

#[tokio::test]
async fn a_layer_that_was_stopped_has_spent_as_well() {
    let plan = LayerPlan::new("layer").on_fault(OnFault::Skip);
    let nag = reply(plan.clone().limits(|limits| limits.host_calls = 100), guest!("nag")).await;
    assert_eq!(line(&nag, HookKind::ModelCall).spent.host_calls, 101);

    let flood = plan.clone().config(json!({ "bytes": 0 })).limits(|limits| limits.events = 10);
    let spent = line(&reply(flood, guest!("flood")).await, HookKind::ModelCall).spent;
    assert_eq!((spent.events, spent.event_bytes), (11, 70));

    let nap = plan.limits(|limits| limits.wall = Duration::from_millis(50));
    let line = line(&reply(nap, guest!("nap")).await, HookKind::ModelCall);
    assert!(line.spent.own_micros >= 50_000, "{line:?}");
    assert_eq!(line.failures, 1);
}
