//! Tools that a component contributes.

use cepa::chain::{Note, NoteKind};
use cepa::event::{Event, Outcome};
use cepa::message::ToolState;
use cepa::policy::Grants;
use cepa_tests::agent::{agent, ask, conversation, model};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;

const CALLS: &str = r#"
[[turn]]
tool-calls = [
    { id = "c1", name = "remember", arguments = { count = 2 } },
    { id = "c2", name = "fail", arguments = {} },
    { id = "c3", name = "break", arguments = {} },
    { id = "c4", name = "remember", arguments = { count = "two" } },
]

[[turn]]
tool-calls = [{ id = "c5", name = "remember", arguments = { count = 3 } }]

[[turn]]
text = "{{tool-result}}"
"#;

#[tokio::test]
async fn a_components_tools_run_in_its_layer_and_their_failures_are_results() {
    let component = load("remember", guest!("remember")).await;
    let plan = LayerPlan::new("remember").grants(Grants { state: true, ..Grants::default() });
    let agent = agent(&model(CALLS)).middleware(plan.entry(&component)).build().await.unwrap();
    let names: Vec<String> = agent.tools().iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["remember", "fail", "break", "link"]);
    let told = ask(&agent, "Add up").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    insta::assert_snapshot!(conversation(&agent).await.join("\n"), @r#"
    user: Add up
    assistant: c1 = remember({"count":2}) | c2 = fail({}) | c3 = break({}) | c4 = remember({"count":"two"})
    tool: c1 Success so far 2
    tool: c2 Error there is no more room
    tool: c3 Error an inner layer failed in hook `tool-source`
    tool: c4 Error the arguments of `remember` do not match its parameters: at `/count`: "two" is not of type "integer"; the call did not run
    assistant: c5 = remember({"count":3})
    tool: c5 Success so far 5
    assistant: so far 5
    "#);
    let [Note { layer, kind: NoteKind::Fault { hook: "tool-source", cause } }] = told.marks()[..] else {
        panic!("one fault is noted: {:#?}", told.marks());
    };
    assert_eq!(layer, "remember");
    assert!(cause.contains("broken on purpose"), "{cause}");
    let of_call = |id: &str| -> Vec<String> {
        told.events
            .iter()
            .filter_map(|event| match event {
                Event::ToolResultText { call_id, text } if call_id == id => Some(text.clone()),
                Event::ToolResultEnd { call_id, state } if call_id == id => Some(format!("{state:?}")),
                _ => None,
            })
            .collect()
    };
    assert_eq!(of_call("c1"), ["so far ", "2", &format!("{:?}", ToolState::Success)]);
}

const LINK: &str = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "link", arguments = {} }]

[[turn]]
text = "{{tool-result}}"
"#;

#[tokio::test]
async fn a_result_may_hold_parts_of_other_kinds_which_a_model_reads_as_json() {
    let component = load("remember", guest!("remember")).await;
    let plan = LayerPlan::new("remember");
    let agent = agent(&model(LINK)).middleware(plan.entry(&component)).build().await.unwrap();
    let told = ask(&agent, "Find").await;
    assert_eq!(told.result.response.text(), "see\n{\"uri\":\"demo://far\"}");
}
