//! What another component does otherwise is told where it first does.

use cepa::policy::Grants;
use cepa_tests::agent::{agent, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use cepa_tests::recording::{Played, Taken, record, replay};
use serde_json::json;

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nrepeat = true";

async fn passthrough() -> Taken {
    record(agent(&model(ANSWERS)), LayerPlan::new("it"), guest!("passthrough")).await
}

/// The first difference when another component gets the same.
async fn instead(taken: &Taken, bytes: &[u8]) -> String {
    let Played { difference, .. } = replay(&taken.path(), &load("other", bytes).await).await;
    difference.expect("it does something else").to_string()
}

#[tokio::test]
async fn another_component_is_told_by_its_first_other_call() {
    let taken = passthrough().await;
    insta::assert_snapshot!(instead(&taken, guest!("observe")).await, @"call 1 (`on-model-call.handle`), its call 2 of the host, line 7 of the recording: `flow.model-next.start` was called, and not `flow.model-next.run`");
    insta::assert_snapshot!(instead(&taken, guest!("panic")).await, @"call 1 (`on-model-call.handle`), its call 2 of the host, line 7 of the recording: `requests.model-request.message-count` was called, and not `flow.model-next.run`");
    insta::assert_snapshot!(instead(&taken, guest!("watch-end")).await, @"call 1 (`on-model-call.handle`), its call 1 of the host, line 5 of the recording: it ended with `fault: the component does not export this hook`, and did not call `context.config`");
}

#[tokio::test]
async fn a_fix_is_seen_where_the_fault_was() {
    let taken = record(agent(&model(ANSWERS)), LayerPlan::new("it"), guest!("panic")).await;
    insta::assert_snapshot!(instead(&taken, guest!("passthrough")).await, @"call 1 (`on-model-call.handle`), its call 2 of the host, line 7 of the recording: `flow.model-next.run` was called, and not `requests.model-request.message-count`");
}

async fn gets_a_value() -> Taken {
    let config = json!({ "before": [{ "set": ["reply", "a", "first"] }, { "get": ["reply", "a"] }] });
    let plan = LayerPlan::new("uses").grants(Grants { state: true, ..Grants::default() }).config(config);
    record(agent(&model(ANSWERS)), plan, guest!("uses")).await
}

#[tokio::test]
async fn another_argument_is_told_by_its_name() {
    let taken = gets_a_value().await;
    taken.rewrite(taken.text().replace("{\"ok\":\"first\"}", "{\"ok\":\"second\"}"));
    let difference = taken.replay().await.difference.expect("another value is logged");
    insta::assert_snapshot!(difference, @r#"call 1 (`on-reply.handle`), its call 5 of the host, line 13 of the recording: `log.write` was called with `"Get(Reply, \"a\"): Some(\"second\")"` as `message`, and not `"Get(Reply, \"a\"): Some(\"first\")"`"#);
    assert_eq!((difference.call(), difference.export(), difference.host_call()), (1, "on-reply.handle", 5));
}

#[tokio::test]
async fn values_of_another_type_are_no_values_of_the_function() {
    let taken = gets_a_value().await;
    taken.rewrite(taken.text().replace("{\"ok\":\"first\"}", "{\"ok\":[1]}"));
    insta::assert_snapshot!(taken.replay().await.difference.expect("no value"), @"call 1 (`on-reply.handle`), its call 4 of the host, line 11 of the recording: the recorded values of `state.get` are not those of the contract: invalid type: sequence, expected a string");
}
