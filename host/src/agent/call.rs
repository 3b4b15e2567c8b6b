//! One tool call: is it sound, may it run, and what comes of it.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::chain::{CheckPermission, Sink, endpoint_fn};
use crate::error::Error;
use crate::message::{ResultPart, ToolCall, ToolDefinition, ToolResult, ToolState};
use crate::request::{
    Permission, PermissionDecision, PermissionRequest, PermissionRequestData, ToolResponse,
};
use crate::session::{CallState, OpenCall};

use super::conversation::Author;
use super::permission::stricter;
use super::turn::Turn;

/// What the model is told about a call that a person changed, lest it repeats the original.
const EDITED: &str = "\n[a person changed this call before it ran; the call above shows what ran]";

impl Turn {
    /// Runs one call to its result, or until it waits for someone.
    pub(super) async fn run_call(self: &Arc<Self>, mut open: OpenCall, out: &Sink) -> Result<(), Error> {
        // Whether it was offered was checked when the model made the call; a person may name any tool.
        let all = self.lineup.tools.catalogue();
        let arguments = match self.vet(&open.call, &all, false) {
            Ok(arguments) => arguments,
            Err(fault) => {
                let response = ToolResponse::text_answer(ToolState::Error, fault);
                return self.end_call(open, response, out).await;
            }
        };
        let confirmed = open.state == CallState::Confirmed;
        let decision = self.authorise(&open.call, &arguments, confirmed, out).await?;
        match decision.permission {
            Permission::Deny => self.end_call(open, denied(&decision), out).await,
            Permission::Ask => self.park(open, CallState::Asking, decision.reason).await,
            Permission::Allow => {
                if self.is_external(&open.call.name) {
                    return self.park(open, CallState::Submitted, String::new()).await;
                }
                open.state = CallState::Running;
                self.put(open.clone()).await?;
                self.act_on(open, arguments, out).await
            }
        }
    }

    /// The arguments of a sound call, or what is wrong with it, for the model.
    pub(super) fn vet(
        &self,
        call: &ToolCall,
        offered: &[ToolDefinition],
        cut: bool,
    ) -> Result<Map<String, Value>, String> {
        if let Err(fault) = check_offered(call, offered) {
            let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!("{fault}; there are: {names}"));
        }
        self.vet_arguments(call, cut)
    }

    /// The same for a call that a layer changed. It sees the answer, and which other tools there are is not its to know.
    pub(super) fn vet_changed(
        &self,
        call: &ToolCall,
        offered: &[ToolDefinition],
    ) -> Result<Map<String, Value>, String> {
        check_offered(call, offered)?;
        self.vet_arguments(call, false)
    }

    fn vet_arguments(&self, call: &ToolCall, cut: bool) -> Result<Map<String, Value>, String> {
        if cut && call.arguments.trim().is_empty() {
            return Err(format!(
                "the arguments of `{}` were cut off at the output limit, so it did not run",
                call.name
            ));
        }
        self.lineup.tools.validate(&call.name, &call.arguments).map_err(|fault| {
            let cut = if cut { " (the output limit was reached)" } else { "" };
            format!("{fault}{cut}; the call did not run")
        })
    }

    /// Decides whether a call may run. The operator's denial stands, and a check that fails is a denial.
    pub(super) async fn authorise(
        self: &Arc<Self>,
        call: &ToolCall,
        arguments: &Map<String, Value>,
        confirmed: bool,
        out: &Sink,
    ) -> Result<PermissionDecision, Error> {
        let answered = |mut decision: PermissionDecision| {
            if confirmed && decision.permission == Permission::Ask {
                decision.permission = Permission::Allow;
            }
            decision
        };
        let ruled = answered(self.ruled(&call.name, arguments));
        let request = PermissionRequest::new(PermissionRequestData {
            call: call.clone(),
            definition: self.lineup.tools.get(&call.name).map(|tool| tool.definition().clone()),
            confirmed,
            ruled: ruled.clone(),
        });
        let endpoint = {
            let ruled = ruled.clone();
            endpoint_fn(move |_, _| std::future::ready(Ok(ruled.clone())))
        };
        match self.chain.call::<CheckPermission>(request, endpoint, out.clone()).await {
            _ if self.is_aborted() => Err(Error::aborted()),
            _ if ruled.permission == Permission::Deny => Ok(ruled),
            Ok(decision) => Ok(answered(decision)),
            Err(error) => Ok(PermissionDecision {
                permission: Permission::Deny,
                reason: format!("the check of this call failed: {error}"),
            }),
        }
    }

    /// What the rules say: those of this agent and of those around it, of which the strictest wins.
    fn ruled(&self, tool: &str, arguments: &Map<String, Value>) -> PermissionDecision {
        let own = self.agent.permissions.now().decide(tool, arguments);
        let around = match (&self.outer, &self.agent.rules_around) {
            (Some(outer), _) => outer.ruled(tool, arguments),
            (None, Some(rules)) => rules.now().decide(tool, arguments),
            (None, None) => return own,
        };
        stricter(own, around)
    }

    pub(super) fn is_external(&self, name: &str) -> bool {
        self.lineup.tools.get(name).is_some_and(|tool| tool.external())
    }

    /// Ends a call: its result goes out, and is stored in the same batch that closes the call.
    pub(super) async fn end_call(
        &self,
        open: OpenCall,
        response: ToolResponse,
        out: &Sink,
    ) -> Result<(), Error> {
        let mut content = response.content.clone();
        if open.edited {
            content.push(ResultPart::text(EDITED));
        }
        let (call_id, name) = (open.call.id.clone(), open.call.name.clone());
        let result = ToolResult { call_id, name, state: response.state, content };
        let result = self.settle_result(result, out).await?;
        self.count_ended(1);
        self.conversation
            .commit(Author::Loop, move |edit| {
                edit.replace_call(&open.call);
                edit.close_call(result);
                Ok(())
            })
            .await
    }

    /// Leaves a call open until someone answers.
    pub(super) async fn park(
        &self,
        mut open: OpenCall,
        state: CallState,
        reason: String,
    ) -> Result<(), Error> {
        open.state = state;
        open.reason = reason;
        self.conversation
            .commit(Author::Loop, move |edit| {
                edit.replace_call(&open.call);
                edit.put_call(open);
                Ok(())
            })
            .await
    }

    async fn put(&self, open: OpenCall) -> Result<(), Error> {
        self.conversation
            .commit(Author::Loop, move |edit| {
                edit.put_call(open);
                Ok(())
            })
            .await
    }
}

fn check_offered(call: &ToolCall, offered: &[ToolDefinition]) -> Result<(), String> {
    if offered.iter().any(|tool| tool.name == call.name) {
        return Ok(());
    }
    Err(format!("there is no tool `{}` to be called now", call.name))
}

pub(super) fn denied(decision: &PermissionDecision) -> ToolResponse {
    ToolResponse::text_answer(ToolState::Denied, format!("denied, so it did not run: {}", decision.reason))
}
