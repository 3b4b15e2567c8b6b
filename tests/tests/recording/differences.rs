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
async fn another_end_and_another_fault_are_told_at_their_line() {
    let taken = passthrough().await;
    let text = taken.text();
    let leave = text.lines().find(|line| line.starts_with("{\"leave\"") && line.contains("\"ok\"")).unwrap();
    taken.rewrite(text.replace(leave, "{\"leave\":{\"instance\":0,\"value\":{\"ok\":99}}}"));
    insta::assert_snapshot!(taken.replay().await.difference.expect("another handle"), @r#"call 1 (`on-model-call.handle`), line 13 of the recording: it ended with `{"ok":0}`, and not `{"ok":99}`"#);
    let taken = record(agent(&model(ANSWERS)), LayerPlan::new("it"), guest!("panic")).await;
    taken.rewrite(taken.text().replace("\"cause\":\"the guest", "\"cause\":\"a guest"));
    insta::assert_snapshot!(taken.replay().await.difference.expect("another fault"), @r"
    call 1 (`on-model-call.handle`), line 11 of the recording: it ended with `fault: the guest gave up (trap `unreachable`); it said: panicked at tests/guests/panic/src/lib.rs:18:9:
    the sky fell on 1 messages`, and not `fault: a guest gave up (trap `unreachable`); it said: panicked at tests/guests/panic/src/lib.rs:18:9:
    the sky fell on 1 messages`
    ");
}

#[tokio::test]
async fn a_call_that_is_not_made_any_more_is_told_with_the_end() {
    let taken = record(agent(&model(ANSWERS)), LayerPlan::new("it"), guest!("passthrough")).await;
    let lines: Vec<String> = taken.text().lines().map(ToOwned::to_owned).collect();
    let (leave, before) = lines.split_last().unwrap();
    let more = "{\"call\":{\"instance\":0,\"function\":\"clock.now-ms\",\"arguments\":[]}}";
    let answer = "{\"answer\":{\"instance\":0,\"value\":1}}";
    taken.rewrite(format!("{}\n{more}\n{answer}\n{leave}\n", before.join("\n")));
    insta::assert_snapshot!(taken.replay().await.difference.expect("a call less"), @r#"call 1 (`on-model-call.handle`), its call 5 of the host, line 13 of the recording: it ended with `{"ok":0}`, and did not call `clock.now-ms`"#);
}

#[tokio::test]
async fn values_of_another_type_are_no_values_of_the_function() {
    let taken = gets_a_value().await;
    taken.rewrite(taken.text().replace("{\"ok\":\"first\"}", "{\"ok\":[1]}"));
    insta::assert_snapshot!(taken.replay().await.difference.expect("no value"), @"call 1 (`on-reply.handle`), its call 4 of the host, line 11 of the recording: the recorded values of `state.get` are not those of the contract: invalid type: sequence, expected a string");
}
