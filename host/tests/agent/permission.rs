//! Rules and layers that decide about tool calls.

use std::sync::Arc;

use cepa::agent::PermissionRules;
use cepa::chain::{ChainEntry, CheckPermission, HookFuture, HookKind, Layer, Next, Sink};
use cepa::error::{Error, ErrorKind};
use cepa::event::Outcome;
use cepa::message::ToolState;
use cepa::request::{Permission, PermissionDecision, PermissionRequest};
use serde_json::json;

use crate::rig::{Double, Script, agent, ask, call, calls, entry, says, stored, transcript, turn};

/// A layer that decides without asking further.
struct Decides(Result<Permission, ErrorKind>);

impl Layer for Decides {
    fn on_check_permission(
        self: Arc<Self>,
        _request: PermissionRequest,
        _next: Next<CheckPermission>,
        _out: Sink,
    ) -> HookFuture<PermissionDecision> {
        Box::pin(async move {
            match self.0 {
                Ok(permission) => {
                    Ok(PermissionDecision { permission, reason: "the layer says so".to_owned() })
                }
                Err(kind) => Err(Error::new(kind, "the layer is confused").into()),
            }
        })
    }
}

fn decides(decision: Result<Permission, ErrorKind>) -> ChainEntry {
    entry("gate", &[HookKind::CheckPermission], Decides(decision))
}

async fn state_under(rules: PermissionRules, layer: Option<ChainEntry>) -> Option<ToolState> {
    let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Done.")]);
    let mut agent = agent(&model).tool(Arc::new(Double::echo("look"))).permissions(rules);
    if let Some(layer) = layer {
        agent = agent.middleware(layer);
    }
    let agent = agent.build().await.unwrap();
    let (told, session) = turn(&agent, "Look").await;
    if told.result.response.outcome == Outcome::Parked {
        return Some(ToolState::Parked);
    }
    session.messages.iter().flat_map(cepa::message::Message::tool_results).map(|result| result.state).next()
}

#[tokio::test]
async fn the_default_decides_what_no_rule_does() {
    let by_default = |permission| state_under(PermissionRules::unmatched(permission), None);
    assert_eq!(by_default(Permission::Allow).await, Some(ToolState::Success));
    assert_eq!(by_default(Permission::Ask).await, Some(ToolState::Parked));
    assert_eq!(by_default(Permission::Deny).await, Some(ToolState::Denied));
}

#[tokio::test]
async fn a_denied_call_is_explained_to_the_model() {
    let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Then not.")]);
    let rules = PermissionRules { deny: vec!["look(x=1)".parse().unwrap()], ..PermissionRules::default() };
    let agent = agent(&model).tool(Arc::new(Double::echo("look"))).permissions(rules).build().await.unwrap();
    let told = ask(&agent, "Look").await;
    insta::assert_snapshot!(transcript(&told, &stored(&agent).await));
}

#[tokio::test]
async fn a_layer_may_be_stricter_or_milder_but_the_operators_denial_stands() {
    let rules = PermissionRules::unmatched;
    let with = |permission, decision| state_under(rules(permission), Some(decides(decision)));
    assert_eq!(with(Permission::Allow, Ok(Permission::Deny)).await, Some(ToolState::Denied));
    assert_eq!(with(Permission::Allow, Ok(Permission::Ask)).await, Some(ToolState::Parked));
    assert_eq!(with(Permission::Ask, Ok(Permission::Allow)).await, Some(ToolState::Success));
    assert_eq!(with(Permission::Deny, Ok(Permission::Allow)).await, Some(ToolState::Denied));
    assert_eq!(with(Permission::Deny, Ok(Permission::Ask)).await, Some(ToolState::Denied));
}

#[tokio::test]
async fn a_check_that_fails_is_a_denial() {
    for kind in [ErrorKind::Internal, ErrorKind::Aborted] {
        let state = state_under(PermissionRules::default(), Some(decides(Err(kind)))).await;
        assert_eq!(state, Some(ToolState::Denied));
    }
}
