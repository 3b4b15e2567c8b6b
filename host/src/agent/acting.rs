//! A call that may run, on its way through the layers to its tool.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value};

use crate::chain::{Acting, Endpoint, Sink, endpoint_fn, guarded};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::message::{ToolCall, ToolDefinition, ToolState};
use crate::request::{Permission, ToolRequest, ToolRequestData, ToolResponse};
use crate::session::{CallState, OpenCall};
use crate::tool::{ToolInvocation, ToolOwner};

use super::call::denied;
use super::conversation::Author;
use super::settle::stream_parts;
use super::turn::Turn;

/// The call that was authorised last, and whether it parked.
struct Authorised {
    call: ToolCall,
    /// What it may be changed into.
    offered: Arc<Vec<ToolDefinition>>,
    arguments: Map<String, Value>,
    parked: Option<(CallState, String)>,
}

type Shared = Arc<Mutex<Authorised>>;

impl Turn {
    /// Passes a call through `on-acting`.
    pub(super) async fn act_on(
        self: &Arc<Self>,
        mut open: OpenCall,
        arguments: Map<String, Value>,
        out: &Sink,
    ) -> Result<(), Error> {
        let shared = authorised(open.call.clone(), self.offered(), arguments);
        let (request, endpoint) = (request(&shared), self.performing(&shared));
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

    /// Passes a call that a layer makes itself through `on-acting` of the layers inside it. It is in no conversation.
    pub(super) async fn act_for(
        self: &Arc<Self>,
        layer: &str,
        call: ToolCall,
        offered: Arc<Vec<ToolDefinition>>,
        arguments: Map<String, Value>,
    ) -> Result<ToolResponse, Error> {
        let shared = authorised(call, offered, arguments);
        self.chain.call_inside::<Acting>(layer, request(&shared), self.performing(&shared)).await
    }

    fn performing(self: &Arc<Self>, shared: &Shared) -> Arc<dyn Endpoint<Acting>> {
        let (turn, shared) = (Arc::clone(self), Arc::clone(shared));
        endpoint_fn(move |request, out| Arc::clone(&turn).perform(request, Arc::clone(&shared), out))
    }

    /// The endpoint of `on-acting`: looks again at a call that a layer changed, and runs the tool.
    async fn perform(
        self: Arc<Self>,
        request: ToolRequest,
        shared: Shared,
        out: Sink,
    ) -> Result<ToolResponse, Error> {
        let (known, offered, mut arguments) = {
            let authorised = lock(&shared);
            (authorised.call.clone(), Arc::clone(&authorised.offered), authorised.arguments.clone())
        };
        let call = ToolCall { id: known.id.clone(), ..request.call.clone() };
        if !same_call(&call, &known) {
            arguments = match self.vet_changed(&call, &offered) {
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
        let Some(tool) = self.lineup.tools.get(&name) else {
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
        let response = match self.lineup.tools.owner(&request.call.name) {
            Some(ToolOwner::Middleware(layer)) => {
                let chain = self.chain.clone();
                guarded(&what, async move { chain.call_tool(&layer, request, gated).await }).await?
            }
            _ => {
                let context = Arc::clone(&self.context);
                let invocation = ToolInvocation { call_id: call_id.clone(), arguments, context };
                guarded(&what, tool.call(invocation, gated)).await?
            }
        };
        if !spoke.load(Ordering::SeqCst) && response.state != ToolState::Parked {
            stream_parts(&call_id, &response.content, &out).await?;
        }
        Ok(response)
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

fn authorised(call: ToolCall, offered: Arc<Vec<ToolDefinition>>, arguments: Map<String, Value>) -> Shared {
    Arc::new(Mutex::new(Authorised { call, offered, arguments, parked: None }))
}

/// What layers are asked of an authorised call.
fn request(shared: &Shared) -> ToolRequest {
    let authorised = lock(shared);
    ToolRequest::new(ToolRequestData {
        call: authorised.call.clone(),
        offered: Arc::clone(&authorised.offered),
        metadata: Map::new(),
    })
}

fn lock(shared: &Shared) -> MutexGuard<'_, Authorised> {
    shared.lock()
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
