//! Rules about the tool calls of sub-agents: those around them hold as well.

use std::sync::Arc;

use cepa::agent::{Agent, PermissionRules};
use cepa::request::Permission;
use serde_json::json;

use crate::rig::{Double, Script, agent, ask, ask_before, call, calls, says};

use super::{Runs, answers, helper};

/// An agent under rules, whose helper has rules of its own and calls `write` in each run.
async fn ruled(own: PermissionRules, helpers: PermissionRules) -> (Agent, Runs) {
    let runs = Runs::default();
    let turns = (0..9).flat_map(|_| [calls([call("c1", "write", &json!({"x": 1}))]), says("Done.")]);
    let inner = helper(&Script::new(turns)).tool(Arc::new(Double::echo("write"))).permissions(helpers);
    let agent = agent(&answers())
        .permissions(own)
        .sub_agent(inner)
        .middleware(runs.layer("boss", "helper", |_| None))
        .build()
        .await
        .unwrap();
    (agent, runs)
}

/// What became of the call: how the thread of the last run tells it.
async fn told(agent: &Agent) -> String {
    let session = super::sessions(&ask(agent, "Go").await).pop().unwrap();
    let thread = super::conversation(agent, &session).await;
    let result = thread.into_iter().find(|line| line.starts_with("tool: "));
    result.unwrap_or_else(|| "waits".to_owned())
}

fn denying() -> PermissionRules {
    PermissionRules { deny: vec!["write".parse().unwrap()], ..PermissionRules::default() }
}

#[tokio::test]
async fn the_strictest_of_all_rules_wins() {
    let allowing = PermissionRules::default;
    let decided = |own, helpers| async move { told(&ruled(own, helpers).await.0).await };
    assert_eq!(decided(allowing(), allowing()).await, "tool: c1 Success write 1");
    assert_eq!(decided(ask_before(&["write"]), allowing()).await, "waits");
    assert_eq!(decided(allowing(), ask_before(&["write"])).await, "waits");
    let denied = "tool: c1 Denied denied, so it did not run: the rule `write` says deny";
    assert_eq!(decided(denying(), ask_before(&["write"])).await, denied);
    assert_eq!(decided(ask_before(&["write"]), denying()).await, denied);
}

#[tokio::test]
async fn new_rules_leave_a_sub_agents_own_ones() {
    let (agent, _runs) = ruled(denying(), ask_before(&["write"])).await;
    assert!(told(&agent).await.contains("Denied"));
    agent.set_permissions(PermissionRules::unmatched(Permission::Allow));
    assert_eq!(told(&agent).await, "waits");
}

#[tokio::test]
async fn rules_around_hold_for_a_sub_agent_that_a_program_runs_itself() {
    let (agent, _runs) = ruled(denying(), PermissionRules::default()).await;
    let [sub] = &agent.sub_agents()[..] else { panic!("one sub-agent") };
    crate::rig::told(sub.reply("own", "Go").await.unwrap()).await;
    let thread = super::conversation(sub, "own").await;
    assert!(thread.iter().any(|line| line.starts_with("tool: c1 Denied")), "{thread:#?}");
}

#[tokio::test]
async fn an_agent_and_its_sub_agents_keep_out_of_each_others_running_replies() {
    let (agent, _runs) = ruled(PermissionRules::default(), PermissionRules::default()).await;
    let running = agent.reply("s", "Go").await.unwrap();
    let [sub] = &agent.sub_agents()[..] else { panic!("one sub-agent") };
    let refused = sub.reply("s", "Go").await.err().map(|error| error.to_string());
    let busy = "session `s` is busy: a reply is running there, so wait for its end or abort it";
    assert_eq!(refused.as_deref(), Some(busy));
    crate::rig::told(running).await;
}
