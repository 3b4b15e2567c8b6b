//! What no component can do, whatever it answers: swallow a park or an abort, make one up, run what may not run.

use std::collections::BTreeSet;
use std::sync::Arc;

use cepa::agent::{Agent, Answer, PermissionRules};
use cepa::chain::NoteKind;
use cepa::event::{Event, Outcome};
use cepa::policy::Grants;
use cepa_tests::agent::{Echo, Told, agent, ask, ask_and_abort, conversation, model, stored, told};
use cepa_tests::chain::{LayerPlan, load};
use cepa_tests::guest;
use serde_json::json;

const CALLS_LOOK: &str = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "look", arguments = { x = 1 } }]

[[turn]]
text = "Seen: {{tool-result}}"
"#;

fn rules(deny: &[&str], ask: &[&str]) -> PermissionRules {
    let read = |rules: &[&str]| rules.iter().map(|rule| rule.parse().expect("a rule")).collect();
    PermissionRules { deny: read(deny), ask: read(ask), ..PermissionRules::default() }
}

/// An agent whose tools are `look` and these, and that calls `look` once.
async fn looking<const N: usize>(
    look: &Echo,
    layers: Vec<(&str, LayerPlan)>,
    more: [&Echo; N],
    rules: PermissionRules,
) -> Agent {
    let mut builder = agent(&model(CALLS_LOOK)).permissions(rules).tool(Arc::new(look.clone()));
    for tool in more {
        builder = builder.tool(Arc::new(tool.clone()));
    }
    for (guest, plan) in layers {
        let component = load(guest, cepa_tests::GUESTS[cepa_tests::index_of(guest)].1).await;
        builder = builder.middleware(plan.entry(&component));
    }
    builder.build().await.unwrap()
}

fn insist() -> (&'static str, LayerPlan) {
    ("insist", LayerPlan::new("insist"))
}

fn replaced(told: &Told) -> Vec<String> {
    let call = |event: &Event| match event {
        Event::ToolCallReplaced { call } => Some(format!("{}({})", call.name, call.arguments)),
        _ => None,
    };
    told.events.iter().filter_map(call).collect()
}

fn ends(told: &Told) -> usize {
    told.events.iter().filter(|event| matches!(event, Event::ReplyEnd { .. })).count()
}

#[tokio::test]
async fn a_parked_call_stays_parked_whatever_layers_make_of_it() {
    let look = Echo::new("look").parking();
    let agent = looking(&look, vec![insist()], [], PermissionRules::default()).await;
    let told = ask(&agent, "Look").await;
    assert_eq!(told.result.response.outcome, Outcome::Parked);
    assert_eq!(told.result.pending.len(), 1);
    assert_eq!(look.calls(), 1, "what waits is not run again");
    assert_eq!(conversation(&agent).await, ["user: Look", "assistant: c1 = look({\"x\":1})"]);
    assert_eq!(stored(&agent).await.open_calls.len(), 1);
}

#[tokio::test]
async fn a_question_to_a_person_is_asked_once_and_its_answer_is_followed() {
    let look = Echo::new("look");
    let agent = looking(&look, vec![insist()], [], rules(&[], &["look"])).await;
    assert_eq!(ask(&agent, "Look").await.result.response.outcome, Outcome::Parked);
    assert_eq!(look.calls(), 0);
    let answer = Answer::Reject { call_id: "c1".to_owned(), reason: Some("not now".to_owned()) };
    let told = told(agent.resume("s", vec![answer]).await.unwrap()).await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    assert_eq!(look.calls(), 0, "a rejected call does not run");
    assert_eq!(ends(&told), 1);
}

#[tokio::test]
async fn an_abort_ends_the_reply_whatever_layers_answer() {
    let look = Echo::new("look").hanging();
    let agent = looking(&look, vec![insist()], [], PermissionRules::default()).await;
    let begun = |event: &Event| matches!(event, Event::ToolResultText { .. });
    let told = ask_and_abort(&agent, "Look", begun).await;
    assert_eq!(told.result.response.outcome, Outcome::Aborted);
    assert_eq!(look.calls(), 1, "nothing is tried again");
    assert_eq!(ends(&told), 1);
    let session = stored(&agent).await;
    assert!(session.open_calls.is_empty());
    let last = conversation(&agent).await.pop().unwrap();
    assert!(last.starts_with("tool: c1 Interrupted"), "{last}");
}

#[tokio::test]
async fn what_is_denied_does_not_run_however_often_a_layer_tries() {
    let look = Echo::new("look");
    let agent = looking(&look, vec![insist()], [], rules(&["look"], &[])).await;
    ask(&agent, "Look").await;
    assert_eq!(look.calls(), 0);
    assert_eq!(conversation(&agent).await, ["user: Look", "assistant: All is well."]);
}

#[tokio::test]
async fn a_layer_cannot_make_up_that_a_call_waits() {
    let look = Echo::new("look");
    let layers = vec![("forge", LayerPlan::new("forge"))];
    let agent = looking(&look, layers, [], PermissionRules::default()).await;
    let told = ask(&agent, "Look").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    assert_eq!(look.calls(), 0);
    insta::assert_snapshot!(conversation(&agent).await.join("\n"), @r#"
    user: Look
    assistant: c1 = look({"x":1})
    tool: c1 Error an inner layer failed in hook `on-acting`
    assistant: Seen: an inner layer failed in hook `on-acting`
    "#);
}

#[tokio::test]
async fn a_layers_own_tool_cannot_park() {
    let component = load("forge", guest!("forge")).await;
    let model =
        model("[[turn]]\ntool-calls = [{ id = \"c1\", name = \"park\" }]\n\n[[turn]]\ntext = \"Well.\"");
    let agent = agent(&model).middleware(LayerPlan::new("forge").entry(&component)).build().await.unwrap();
    let told = ask(&agent, "Park").await;
    assert_eq!(told.result.response.outcome, Outcome::Replied);
    insta::assert_snapshot!(conversation(&agent).await.join("\n"), @"
    user: Park
    assistant: c1 = park({})
    tool: c1 Error an inner layer failed in hook `tool-source`
    assistant: Well.
    ");
}

#[tokio::test]
async fn the_begin_and_the_end_of_a_reply_are_the_hosts_to_say() {
    let component = load("forge", guest!("forge")).await;
    let model = model("[[turn]]\ntext = \"Hello.\"");
    let agent = agent(&model).middleware(LayerPlan::new("forge").entry(&component)).build().await.unwrap();
    let told = ask(&agent, "Hi").await;
    let Some(Event::ReplyStart { session_id, .. }) = told.events.first() else {
        panic!("the reply's start comes first: {:#?}", told.events);
    };
    assert_eq!(session_id, "s");
    let Some(Event::ReplyEnd { outcome, .. }) = told.events.last() else {
        panic!("the reply's end comes last: {:#?}", told.events);
    };
    assert_eq!((*outcome, ends(&told)), (Outcome::Replied, 1));
    assert_eq!(told.streamed(), "Hello.");
    let refused = "forge: on-reply: `reply-start` and `reply-end` are the host's to send\n";
    assert!(told.log().starts_with(&refused.repeat(2)), "{}", told.log());
}

#[tokio::test]
async fn what_models_and_tools_did_is_the_hosts_to_say() {
    let agent =
        looking(&Echo::new("look"), vec![("forge", LayerPlan::new("forge"))], [], rules(&["look"], &[]))
            .await;
    let told = ask(&agent, "Look").await;
    let shown = serde_json::to_string(&told.events).unwrap();
    for forged in ["erase", "c9", "m9", "innocent", "999999"] {
        assert!(!shown.contains(forged), "`{forged}` is shown: {shown}");
    }
    let log = told.log();
    let refused: BTreeSet<&str> =
        log.lines().filter_map(|line| line.split_once(": a layer")).map(|it| it.0).collect();
    insta::assert_snapshot!(refused.into_iter().collect::<Vec<_>>().join("\n"), @r"
    forge: on-reply, of what came from inside: model calls are the host's to tell
    forge: on-reply, of what came from inside: tool calls are the host's to tell
    forge: on-reply, of what came from inside: tool results are the host's to tell
    forge: on-reply: corrections of what was streamed are the host's to tell
    forge: on-reply: model calls are the host's to tell
    forge: on-reply: tool calls are the host's to tell
    forge: on-reply: tool results are the host's to tell
    ");
}

fn rewrite(config: serde_json::Value) -> (&'static str, LayerPlan) {
    ("rewrite-call", LayerPlan::new("rewrite").config(config))
}

#[tokio::test]
async fn a_rewritten_call_is_shown_stored_and_run_as_rewritten() {
    let (look, peek) = (Echo::new("look"), Echo::new("peek"));
    let layers = vec![rewrite(json!({ "name": "peek", "arguments": "{\"x\":2}" }))];
    let agent = looking(&look, layers, [&peek], PermissionRules::default()).await;
    let told = ask(&agent, "Look").await;
    assert_eq!((look.calls(), peek.calls()), (0, 1));
    assert_eq!(replaced(&told), ["peek({\"x\":2})"]);
    assert_eq!(
        conversation(&agent).await,
        [
            "user: Look",
            "assistant: c1 = peek({\"x\":2})",
            "tool: c1 Success peek {\"x\":2}",
            "assistant: Seen: peek {\"x\":2}"
        ]
    );
}

#[tokio::test]
async fn a_rewritten_call_is_validated_again() {
    let look = Echo::new("look");
    let layers = vec![rewrite(json!({ "arguments": "{\"x\":\"two\"}" }))];
    let agent = looking(&look, layers, [], PermissionRules::default()).await;
    let told = ask(&agent, "Look").await;
    assert_eq!((look.calls(), replaced(&told).len()), (0, 0));
    let stored = conversation(&agent).await;
    assert!(stored[2].starts_with("tool: c1 Error"), "{stored:?}");
}

#[tokio::test]
async fn a_call_rewritten_into_a_denied_one_is_denied() {
    let (look, peek) = (Echo::new("look"), Echo::new("peek"));
    let layers = vec![rewrite(json!({ "name": "peek" }))];
    let agent = looking(&look, layers, [&peek], rules(&["peek"], &[])).await;
    let told = ask(&agent, "Look").await;
    assert_eq!((look.calls(), peek.calls(), replaced(&told).len()), (0, 0, 0));
    let stored = conversation(&agent).await;
    assert!(stored[2].starts_with("tool: c1 Denied"), "{stored:?}");
}

#[tokio::test]
async fn a_call_rewritten_into_one_that_needs_a_person_parks_and_cannot_be_swallowed() {
    let (look, peek) = (Echo::new("look"), Echo::new("peek"));
    let layers = vec![insist(), rewrite(json!({ "name": "peek" }))];
    let agent = looking(&look, layers, [&peek], rules(&[], &["peek"])).await;
    let told = ask(&agent, "Look").await;
    assert_eq!(told.result.response.outcome, Outcome::Parked);
    assert_eq!(told.result.pending[0].call.name, "peek");
    assert_eq!((look.calls(), peek.calls()), (0, 0));
}

#[tokio::test]
async fn a_call_rewritten_into_a_tool_that_was_not_offered_does_not_run() {
    let (look, peek) = (Echo::new("look"), Echo::new("peek"));
    let uses = LayerPlan::new("uses")
        .grants(Grants { tools: vec!["peek".to_owned()], ..Grants::default() })
        .config(json!({ "before": [{ "withhold": "peek" }] }));
    let layers = vec![("uses", uses), rewrite(json!({ "name": "peek" }))];
    let agent = looking(&look, layers, [&peek], PermissionRules::default()).await;
    ask(&agent, "Look").await;
    assert_eq!((look.calls(), peek.calls()), (0, 0));
    insta::assert_snapshot!(conversation(&agent).await[2], @"tool: c1 Error there is no tool `peek` to be called now");
}

#[tokio::test]
async fn a_tool_that_a_component_took_out_of_a_step_is_refused_there_and_runs_later() {
    let (look, peek) = (Echo::new("look"), Echo::new("peek"));
    let steer = load("steer", guest!("steer")).await;
    let plan = LayerPlan::new("steer").config(json!({ "hint": "Look.", "tools": ["look"] }));
    let script = r#"
[[turn]]
tool-calls = [{ id = "c1", name = "peek", arguments = {} }]

[[turn]]
tool-calls = [{ id = "c2", name = "peek", arguments = {} }]

[[turn]]
text = "Done."
"#;
    let agent = agent(&model(script))
        .tool(Arc::new(look))
        .tool(Arc::new(peek.clone()))
        .middleware(plan.entry(&steer))
        .build()
        .await
        .unwrap();
    ask(&agent, "Peek").await;
    assert_eq!(peek.calls(), 1);
    insta::assert_snapshot!(conversation(&agent).await[2..5].join("\n"), @r"
    tool: c1 Error there is no tool `peek` to be called now; there are: look
    assistant: c2 = peek({})
    tool: c2 Success peek {}
    ");
}

fn permit(decide: &str) -> (&'static str, LayerPlan) {
    ("permit", LayerPlan::new("permit").config(json!({ "decide": decide })))
}

#[tokio::test]
async fn a_layer_cannot_allow_what_the_operators_rules_deny() {
    let look = Echo::new("look");
    let agent = looking(&look, vec![permit("allow")], [], rules(&["look"], &[])).await;
    let told = ask(&agent, "Look").await;
    assert_eq!(look.calls(), 0);
    insta::assert_snapshot!(told.log(), @r#"permit: look({"x":1}) confirmed false: Permission::Deny"#);
    insta::assert_snapshot!(conversation(&agent).await[2], @"tool: c1 Denied denied, so it did not run: the rule `look` says deny");
}

#[tokio::test]
async fn a_layer_may_deny_and_its_failure_is_a_denial() {
    for decide in ["deny", "fail"] {
        let look = Echo::new("look");
        let agent = looking(&look, vec![permit(decide)], [], PermissionRules::default()).await;
        ask(&agent, "Look").await;
        assert_eq!(look.calls(), 0, "{decide}");
        let stored = conversation(&agent).await;
        assert!(stored[2].starts_with("tool: c1 Denied"), "{decide}: {stored:?}");
    }
}

#[tokio::test]
async fn a_layer_may_ask_and_a_persons_answer_satisfies_it() {
    let look = Echo::new("look");
    let agent = looking(&look, vec![permit("ask")], [], PermissionRules::default()).await;
    let parked = ask(&agent, "Look").await;
    assert_eq!(parked.result.response.outcome, Outcome::Parked);
    assert_eq!(parked.result.pending[0].reason, "the layer says so");
    let answer = Answer::Approve { call_id: "c1".to_owned() };
    let told = told(agent.resume("s", vec![answer]).await.unwrap()).await;
    assert_eq!((told.result.response.outcome, look.calls()), (Outcome::Replied, 1));
    insta::assert_snapshot!(parked.log() + &told.log(), @r#"
    permit: look({"x":1}) confirmed false: Permission::Allow
    permit: look({"x":1}) confirmed true: Permission::Allow
    "#);
}

#[tokio::test]
async fn a_layer_without_the_grant_lifts_no_question() {
    let granted = |(name, plan): (&'static str, LayerPlan), permissions| {
        (name, plan.grants(Grants { permissions, ..Grants::default() }))
    };
    for (may, outcome) in [(false, Outcome::Parked), (true, Outcome::Replied)] {
        let look = Echo::new("look");
        let of_rules = looking(&look, vec![granted(permit("allow"), may)], [], rules(&[], &["look"])).await;
        let told = ask(&of_rules, "Look").await;
        assert_eq!(told.result.response.outcome, outcome, "asked by a rule: {:?}", told.log());

        let mut asks = permit("ask");
        "asks".clone_into(&mut asks.1.spec.name);
        let layers = vec![granted(permit("allow"), may), asks];
        let of_inner = looking(&look, layers, [], PermissionRules::default()).await;
        let told = ask(&of_inner, "Look").await;
        assert_eq!(told.result.response.outcome, outcome, "asked by a layer inside: {:?}", told.log());
        let denied = told.notes.iter().filter(|note| matches!(note.kind, NoteKind::Denied { .. })).count();
        assert_eq!(denied, usize::from(!may));
    }
}
