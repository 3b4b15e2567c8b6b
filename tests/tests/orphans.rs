//! No call without its result, and no result without its call, is sent to a model or stored, whatever a component does.

use std::sync::Arc;

use cepa::error::ErrorKind;
use cepa::event::Outcome;
use cepa::message::Message;
use cepa_tests::agent::{Echo, Told, agent, ask, conversation, model, stored};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::json;

const LOOKS: &str = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "look", arguments = { x = 1 } }]

[[turn]]
text = "Seen."
repeat = true
"#;

/// Asks an agent whose one layer tears like this, and gives what was told, stored and asked of the model.
async fn torn(tear: &str) -> (Told, String, Vec<Vec<Message>>) {
    let component = load("tear", guest!("tear")).await;
    let plan = LayerPlan::new("tear").config(json!({ "tear": tear }));
    let model = model(LOOKS);
    let agent = agent(&model)
        .tool(Arc::new(Echo::new("look")))
        .middleware(plan.entry(&component))
        .build()
        .await
        .unwrap();
    let told = ask(&agent, "Look").await;
    assert!(stored(&agent).await.open_calls.is_empty(), "{tear}");
    let asked = model
        .requests()
        .into_iter()
        .map(|request| request.messages.iter().map(|message| Message::clone(message)).collect());
    let asked = asked.collect();
    (told, conversation(&agent).await.join("\n"), asked)
}

/// Whether calls and results pair off, one behind the other.
fn is_whole(messages: &[Message]) -> bool {
    let calls: Vec<&str> = messages.iter().flat_map(|it| it.tool_calls()).map(|call| &*call.id).collect();
    let results: Vec<&str> =
        messages.iter().flat_map(|it| it.tool_results()).map(|result| &*result.call_id).collect();
    calls == results
}

#[tokio::test]
async fn a_request_that_was_torn_apart_reaches_no_model() {
    let mut errors = String::new();
    for tear in ["request-result", "request-call", "request-roles", "request-loss"] {
        let (told, stored, asked) = torn(tear).await;
        let error = told.result.response.error.clone().unwrap();
        assert_eq!((told.result.response.outcome, error.kind), (Outcome::Failed, ErrorKind::InvalidInput));
        assert_eq!(asked.len(), 1, "{tear}: the second request is refused");
        assert!(asked.iter().all(|messages| is_whole(messages)), "{tear}");
        assert_eq!(stored, "user: Look\nassistant: c1 = look({\"x\":1})\ntool: c1 Success look {\"x\":1}");
        errors.push_str(&format!("{tear}: {error}\n"));
    }
    insta::assert_snapshot!(errors, @"
    request-result: the result of call `ghost` has no call before it
    request-call: call `ghost` has no result
    request-roles: call `ghost` stands in no message of the role assistant
    request-loss: call `c1` has no result
    ");
}

#[tokio::test]
async fn an_input_of_calls_or_of_nothing_is_refused_and_the_first_one_stays() {
    let mut logs = String::new();
    for tear in ["input-result", "input-call", "input-nothing", "input-blank"] {
        let (told, stored, asked) = torn(tear).await;
        assert_eq!(told.result.response.outcome, Outcome::Replied, "{tear}");
        assert!(stored.starts_with("user: Look\nassistant: c1"), "{tear}: {stored}");
        assert!(asked.iter().all(|messages| is_whole(messages)), "{tear}");
        logs.push_str(&told.log());
    }
    insta::assert_snapshot!(logs, @"
    tear: the input can't be used: its messages must not hold tool calls or tool results
    tear: the input can't be used: its messages must not hold tool calls or tool results
    tear: the input can't be used: it is empty
    tear: the input can't be used: it is empty
    ");
}

#[tokio::test]
async fn an_answer_that_tells_its_own_results_is_refused() {
    let mut errors = String::new();
    for tear in ["answer-result", "thought-result"] {
        let (told, stored, _) = torn(tear).await;
        assert_eq!(stored, "user: Look", "{tear}");
        errors.push_str(&format!("{tear}: {}\n", told.result.response.error.clone().unwrap()));
    }
    insta::assert_snapshot!(errors, @"
    answer-result: an answer must not hold tool results, and it has one of call `c9`
    thought-result: an answer must not hold tool results, and it has one of call `ghost`
    ");
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_an_error_value() {
    let (told, stored, _) = torn("answer-unreadable").await;
    assert_eq!(stored, "user: Look");
    assert_eq!(told.marks(), Vec::<&cepa::chain::Note>::new(), "it is no fault");
    insta::assert_snapshot!(told.log(), @"tear: ErrorKind::InvalidInput: the block's `json` is no JSON: key must be a string at line 1 column 2");
}
