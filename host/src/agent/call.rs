//! One tool call: is it sound, may it run, and what comes of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use crate::chain::{Acting, CheckPermission, Sink, endpoint_fn};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::message::{ResultPart, ToolCall, ToolDefinition, ToolResult, ToolState};
use crate::request::{
    Permission, PermissionDecision, PermissionRequest, PermissionRequestData, ToolRequest, ToolRequestData,
    ToolResponse,
};
use crate::session::{CallState, OpenCall};
use crate::tool::ToolInvocation;

use super::catalogue::Runner;
use super::conversation::Author;
use super::guard::guarded;
use super::settle::stream_parts;
use super::turn::Turn;

/// What the model is told about a call that a person changed, lest it repeats the original.
const EDITED: &str = "\n[a person changed this call before it ran; the call above shows what ran]";

/// The call that was authorised last, and whether it parked.
struct Authorised {
    call: ToolCall,
    arguments: Map<String, Value>,
    parked: Option<(CallState, String)>,
}

type Shared = Arc<Mutex<Authorised>>;

impl Turn {
    /// Runs one call to its result, or until it waits for someone.
    pub(super) async fn run_call(self: &Arc<Self>, mut open: OpenCall, out: &Sink) -> Result<(), Error> {
        // Whether it was offered was checked when the model made the call; a person may name any tool.
        let all = Arc::clone(self.agent.catalogue.definitions());
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

    /// Passes a call through `on-acting`.
    async fn act_on(
        self: &Arc<Self>,
        mut open: OpenCall,
        arguments: Map<String, Value>,
        out: &Sink,
    ) -> Result<(), Error> {
        let authorised = Authorised { call: open.call.clone(), arguments, parked: None };
        let shared: Shared = Arc::new(Mutex::new(authorised));
        let request = ToolRequest::new(ToolRequestData {
            call: open.call.clone(),
            offered: self.offered(),
            metadata: Map::new(),
        });
        let (turn, endpoint_shared) = (Arc::clone(self), Arc::clone(&shared));
        let endpoint = endpoint_fn(move |request, out| {
            Arc::clone(&turn).perform(request, Arc::clone(&endpoint_shared), out)
        });
        let result = self.chain.call::<Acting>(request, endpoint, out.clone()).await;
        let (call, parked) = {
            let authorised = lock(&shared);
            (authorised.call.clone(), authorised.parked.clone())
        };
        open.call = call;
        match result {
            _ if self.is_aborted() => Err(Error::aborted()),
            Ok(response) if response.state == ToolState::Parked => {
                let (state, reason) = parked.unwrap_or((CallState::Submitted, String::new()));
                self.park(open, state, reason).await
            }
            Ok(response) => self.end_call(open, response, out).await,
            Err(error) => {
                let response = ToolResponse::text_answer(ToolState::Error, error.message);
                self.end_call(open, response, out).await
            }
        }
    }

    /// The endpoint of `on-acting`: looks again at a call that a layer changed, and runs the tool.
    async fn perform(
        self: Arc<Self>,
        request: ToolRequest,
        shared: Shared,
        out: Sink,
    ) -> Result<ToolResponse, Error> {
        let (known, mut arguments) = {
            let authorised = lock(&shared);
            (authorised.call.clone(), authorised.arguments.clone())
        };
        let call = ToolCall { id: known.id.clone(), ..request.call.clone() };
        if !same_call(&call, &known) {
            arguments = match self.vet(&call, &self.offered(), false) {
                Ok(arguments) => arguments,
                Err(fault) => return Ok(ToolResponse::text_answer(ToolState::Error, fault)),
            };
            let decision = self.authorise(&call, &arguments, false, &out).await?;
            if decision.permission == Permission::Deny {
                return Ok(denied(&decision));
            }
            out.send(Event::ToolCallReplaced { call: call.clone() }).await?;
            let asks = decision.permission == Permission::Ask;
            {
                let mut authorised = lock(&shared);
                authorised.call = call.clone();
                authorised.arguments = arguments.clone();
                authorised.parked = asks.then_some((CallState::Asking, decision.reason));
            }
            if asks {
                return Ok(ToolResponse::text_answer(ToolState::Parked, ""));
            }
            self.replace(call.clone()).await?;
        }
        if self.is_external(&call.name) {
            lock(&shared).parked = Some((CallState::Submitted, String::new()));
            return Ok(ToolResponse::text_answer(ToolState::Parked, ""));
        }
        let request = ToolRequest::new(ToolRequestData { call, ..ToolRequestData::clone(&request) });
        self.run_tool(request, arguments, out).await
    }

    /// Runs a tool, and streams its answer where it does not do so itself.
    pub(super) async fn run_tool(
        self: &Arc<Self>,
        request: ToolRequest,
        arguments: Map<String, Value>,
        out: Sink,
    ) -> Result<ToolResponse, Error> {
        let (call_id, name) = (request.call.id.clone(), request.call.name.clone());
        let Some(tool) = self.agent.catalogue.get(&name) else {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no tool `{name}`")));
        };
        out.send(Event::ToolResultStart { call_id: call_id.clone(), name }).await?;
        let spoke = Arc::new(AtomicBool::new(false));
        let gated = {
            let (call_id, spoke) = (call_id.clone(), Arc::clone(&spoke));
            out.gated(move |event| {
                let own = is_content_of(event, &call_id);
                spoke.fetch_or(own, Ordering::SeqCst);
                own
            })
        };
        let what = format!("tool `{}`", request.call.name);
        let response = match &tool.runner {
            Runner::Tool(tool) => {
                let context = Arc::clone(&self.context);
                let invocation = ToolInvocation { call_id: call_id.clone(), arguments, context };
                guarded(&what, tool.call(invocation, gated)).await?
            }
            Runner::Layer(layer) => {
                let (chain, layer) = (self.chain.clone(), layer.clone());
                guarded(&what, async move { chain.call_tool(&layer, request, gated).await }).await?
            }
        };
        if !spoke.load(Ordering::SeqCst) && response.state != ToolState::Parked {
            stream_parts(&call_id, &response.content, &out).await?;
        }
        Ok(response)
    }

    /// The arguments of a sound call, or what is wrong with it, for the model.
    pub(super) fn vet(
        &self,
        call: &ToolCall,
        offered: &[ToolDefinition],
        cut: bool,
    ) -> Result<Map<String, Value>, String> {
        let tool = self.agent.catalogue.get(&call.name);
        match tool.filter(|_| offered.iter().any(|tool| tool.name == call.name)) {
            Some(tool) => tool.read(&call.arguments, cut),
            None if offered.is_empty() => {
                Err(format!("there is no tool `{}` to be called now, and no other", call.name))
            }
            None => {
                let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
                Err(format!(
                    "there is no tool `{}` to be called now; there are: {}",
                    call.name,
                    names.join(", ")
                ))
            }
        }
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
        let ruled = answered(self.agent.permissions.decide(&call.name, arguments));
        let request = PermissionRequest::new(PermissionRequestData {
            call: call.clone(),
            definition: self.agent.catalogue.get(&call.name).map(|tool| tool.definition.clone()),
            confirmed,
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

    pub(super) fn is_external(&self, name: &str) -> bool {
        self.agent.catalogue.get(name).is_some_and(super::catalogue::Entry::external)
    }

    /// Ends a call: its result goes out, and is stored in the same batch that closes the call.
    async fn end_call(&self, open: OpenCall, response: ToolResponse, out: &Sink) -> Result<(), Error> {
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
    async fn park(&self, mut open: OpenCall, state: CallState, reason: String) -> Result<(), Error> {
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

    /// Stores a running call as a layer changed it, before it runs.
    async fn replace(&self, call: ToolCall) -> Result<(), Error> {
        self.conversation
            .commit(Author::Loop, move |edit| {
                edit.replace_call(&call);
                let known = edit.view().open.iter().find(|open| open.call.id == call.id).cloned();
                if let Some(open) = known {
                    edit.put_call(OpenCall { call, ..open });
                }
                Ok(())
            })
            .await
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, Authorised> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn denied(decision: &PermissionDecision) -> ToolResponse {
    ToolResponse::text_answer(ToolState::Denied, format!("denied, so it did not run: {}", decision.reason))
}

/// Whether both ask for the same; how the JSON is written does not matter.
fn same_call(one: &ToolCall, other: &ToolCall) -> bool {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    one.name == other.name
        && (one.arguments == other.arguments
            || parsed(&one.arguments).is_some_and(|value| Some(value) == parsed(&other.arguments)))
}

fn is_content_of(event: &Event, id: &str) -> bool {
    match event {
        Event::ToolResultText { call_id, .. } | Event::ToolResultData { call_id, .. } => call_id == id,
        _ => false,
    }
}
