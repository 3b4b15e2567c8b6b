//! Who looks on at a layer sees each call of the host before it is done, and may refuse it.

use std::sync::{Arc, Mutex};

use cepa::error::{Error, ErrorKind};
use cepa::policy::Grants;
use cepa::sandbox::{HostCall, Pass, Tap};
use cepa_tests::agent::{agent, ask, model};
use cepa_tests::chain::{LayerPlan, load, sandbox};
use cepa_tests::guest;
use serde_json::json;

const ANSWERS: &str = "[[turn]]\ntext = \"Answer.\"\nrepeat = true";

/// Refuses every call of one function, and keeps the names of all.
struct Refusing {
    function: &'static str,
    seen: Mutex<Vec<String>>,
}

impl Tap for Refusing {
    fn before(&self, call: &HostCall<'_>) -> Pass {
        let name = format!("{}.{}", call.interface, call.function);
        let refused = name == self.function;
        let refusable = if call.refusable { "" } else { ", which can't refuse" };
        self.seen.lock().unwrap().push(format!("{} {name}{refusable}", call.number));
        if refused {
            return Pass::Refuse(Error::new(ErrorKind::Timeout, "not now"));
        }
        Pass::Through
    }
}

/// A reply of a layer that sets and reads a value: its log, what the tap saw, and the text.
async fn refusing(function: &'static str) -> (String, Vec<String>, String) {
    let component = load("uses", guest!("uses")).await;
    let config = json!({ "before": [{ "set": ["reply", "a", "1"] }, { "get": ["reply", "a"] }] });
    let tap = Arc::new(Refusing { function, seen: Mutex::default() });
    let tapped = sandbox().clone().tapping("uses", tap.clone());
    let plan = LayerPlan::new("uses").grants(Grants { state: true, ..Grants::default() }).config(config);
    let entry = plan.entry_in(&tapped, &component);
    let agent = agent(&model(ANSWERS)).middleware(entry).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    let seen = std::mem::take(&mut *tap.seen.lock().unwrap());
    (told.log(), seen, told.result.response.text())
}

#[tokio::test]
async fn each_call_is_seen_once_with_its_number() {
    let (log, seen, text) = refusing("").await;
    insta::assert_snapshot!(log, @r#"
    uses: Set(Reply, "a", "1"): ()
    uses: Get(Reply, "a"): Some("1")
    "#);
    insta::assert_snapshot!(seen.join("\n"), @r"
    0 context.config, which can't refuse
    1 state.set
    2 log.write, which can't refuse
    3 state.get
    4 log.write, which can't refuse
    5 flow.reply-next.run
    6 flow.sink.drop, which can't refuse
    7 flow.reply-next.drop, which can't refuse
    ");
    assert_eq!(text, "Answer.");
}

#[tokio::test]
async fn a_refused_call_is_an_error_to_the_guest_and_nothing_to_the_host() {
    let (log, ..) = refusing("state.set").await;
    insta::assert_snapshot!(log, @r#"
    uses: Set(Reply, "a", "1"): ErrorKind::Timeout "" not now
    uses: Get(Reply, "a"): None
    "#);
}

#[tokio::test]
async fn what_can_not_refuse_is_done_all_the_same() {
    let (log, ..) = refusing("log.write").await;
    assert_eq!(log, refusing("").await.0);
}

#[tokio::test]
async fn what_was_handed_over_with_a_refused_call_is_let_go_of() {
    let component = load("retry", cepa::bundled::bundled("model-retry").unwrap()).await;
    let tap = Arc::new(Refusing { function: "flow.model-next.run", seen: Mutex::default() });
    let tapped = sandbox().clone().tapping("retry", tap.clone());
    // Each attempt hands over a request of its own: with those there would be 100 handles.
    let config =
        json!({ "max-retries": 100, "initial-delay-ms": 1, "max-delay-ms": 1, "retry-on": ["timeout"] });
    let plan = LayerPlan::new("retry").config(config).limits(|limits| limits.handles = 10);
    let agent = agent(&model(ANSWERS)).middleware(plan.entry_in(&tapped, &component)).build().await.unwrap();
    let told = ask(&agent, "Go").await;
    let error = told.result.response.error.as_ref().expect("every attempt was refused");
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Timeout, "not now"));
    let seen = tap.seen.lock().unwrap();
    assert_eq!(seen.iter().filter(|name| name.contains("model-next.run")).count(), 101);
}

#[tokio::test]
async fn the_layers_of_other_names_are_left_alone() {
    let component = load("uses", guest!("uses")).await;
    let tap = Arc::new(Refusing { function: "", seen: Mutex::default() });
    let tapped = sandbox().clone().tapping("another", tap.clone());
    let entry = LayerPlan::new("uses").entry_in(&tapped, &component);
    ask(&agent(&model(ANSWERS)).middleware(entry).build().await.unwrap(), "Go").await;
    assert_eq!(tap.seen.lock().unwrap().len(), 0);
}
