//! A component as a layer: each hook call takes an instance, gives it handles, and takes back what it answers.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use wasmtime::component::Resource;

use crate::chain::{
    Acting, CheckPermission, CompressContext, Hook, HookFuture, HookKind, Layer, ModelCall, Next, Reasoning,
    Reply, ReplyContext, Sink,
};
use crate::error::{Error, ErrorKind, Failure, Fault};
use crate::event::{Event, EventKinds};
use crate::message::{ToolDefinition, ToolState};
use crate::request::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionDecision,
    PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest,
    ToolResponse, TurnSummary, Verdict,
};

use super::bindings::cepa::middleware::types;
use super::convert::{
    error_from_guest, event_from_guest, event_to_guest, kinds_from_guest, permission_from_guest,
    tools_from_guest, verdict_from_guest,
};
use super::flow::{CallHandles, NextHandle, SinkHandle, close_sink};
use super::instance::{GuestInstance, Template, hook_guest, within};
use super::store::{LayerInfo, LogBudget};

/// What a guest's export gave: a value, an error value, or an end without either.
type Answer<T> = wasmtime::Result<Result<T, types::Error>>;

/// A component in one reply.
pub(super) struct ComponentLayer {
    template: Template,
    info: Arc<LayerInfo>,
    context: Arc<ReplyContext>,
    log: Arc<LogBudget>,
    /// Instances that are not in a call. A hook inside a hook finds none, and gets one of its own.
    idle: Mutex<Vec<GuestInstance>>,
    /// The instance of `on-events`, which remembers from call to call. `None` once it has failed.
    events: tokio::sync::Mutex<Option<GuestInstance>>,
}

impl ComponentLayer {
    pub(super) fn new(template: Template, info: Arc<LayerInfo>, context: Arc<ReplyContext>) -> Self {
        let log = Arc::new(LogBudget::new(info.spec.limits.log));
        Self { template, info, context, log, idle: Mutex::default(), events: tokio::sync::Mutex::default() }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<GuestInstance>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, hook: HookKind, cause: String) -> Failure {
        Fault { layer: self.info.spec.name.clone(), hook: hook.name(), cause }.into()
    }

    async fn fresh(&self, hook: HookKind) -> Result<GuestInstance, Failure> {
        let made = self
            .template
            .instantiate(Arc::clone(&self.context), Arc::clone(&self.info), Arc::clone(&self.log))
            .await;
        made.map_err(|error| {
            if error.is::<wasmtime::PoolConcurrencyLimitError>() {
                let text = "too many middleware instances are alive at once; try again later";
                return Error::new(ErrorKind::Overloaded, text).code("instances").into();
            }
            self.fault(hook, format!("no instance could be made: {error:#}"))
        })
    }

    /// Calls into an instance within its bounds. Gives it back unless it broke a rule.
    async fn bounded<T, F, R>(
        &self,
        hook: HookKind,
        mut guest: GuestInstance,
        call: F,
    ) -> Result<(GuestInstance, T), Failure>
    where
        F: FnOnce(GuestInstance) -> R,
        R: Future<Output = (GuestInstance, wasmtime::Result<T>)>,
    {
        guest.begin();
        self.template.runtime.counts.hook_called();
        let own_time = guest.store.data().own_time.clone();
        match within(own_time, self.info.spec.limits.wall, call(guest)).await {
            Ok((mut guest, Ok(value))) => {
                guest.store.data_mut().drain_output();
                Ok((guest, value))
            }
            // The store is dropped with the instance: it is never entered again.
            Ok((mut guest, Err(error))) => Err(self.fault(hook, guest.explain(&error))),
            Err(hit) => Err(self.fault(hook, hit.to_string())),
        }
    }

    /// The same with an idle instance or a fresh one.
    async fn call<T, F, R>(&self, hook: HookKind, call: F) -> Result<T, Failure>
    where
        F: FnOnce(GuestInstance) -> R,
        R: Future<Output = (GuestInstance, wasmtime::Result<T>)>,
    {
        let idle = self.idle().pop();
        let guest = match idle {
            Some(guest) => guest,
            None => self.fresh(hook).await?,
        };
        let (guest, value) = self.bounded(hook, guest, call).await?;
        self.idle().push(guest);
        Ok(value)
    }

    async fn onion<H: GuestHook>(
        self: Arc<Self>,
        request: H::Request,
        next: Next<H>,
        out: Sink,
    ) -> Result<H::Response, Failure> {
        let call = |mut guest: GuestInstance| async move {
            let result = call_onion::<H>(&mut guest, request, next, out).await;
            (guest, result)
        };
        let response = self.call(H::KIND, call).await?;
        response.map_err(|error| error_from_guest(error).into())
    }

    /// The tools that the component contributes.
    pub(super) async fn list_tools(self: Arc<Self>) -> Result<Vec<ToolDefinition>, Failure> {
        let call = |mut guest: GuestInstance| async move {
            let result = call_list_tools(&mut guest).await;
            (guest, result)
        };
        let tools = self.call(HookKind::ToolSource, call).await?.map_err(error_from_guest)?;
        Ok(tools_from_guest(tools)?)
    }
}

/// An onion hook whose exported `handle` takes request, `next` and sink, and answers with a response handle.
trait GuestHook: Hook {
    fn enter(
        guest: &mut GuestInstance,
        request: Resource<Self::Request>,
        next: Resource<NextHandle<Self>>,
        out: Resource<SinkHandle>,
    ) -> BoxFuture<'_, Answer<Resource<Self::Response>>>;
}

macro_rules! guest_hook {
    ($hook:ty, $field:ident) => {
        impl GuestHook for $hook {
            fn enter(
                guest: &mut GuestInstance,
                request: Resource<Self::Request>,
                next: Resource<NextHandle<Self>>,
                out: Resource<SinkHandle>,
            ) -> BoxFuture<'_, Answer<Resource<Self::Response>>> {
                Box::pin(async move {
                    let hook = hook_guest!(guest, $field);
                    hook.call_handle(&mut guest.store, request, next, out).await
                })
            }
        }
    };
}

guest_hook!(Reply, on_reply);
guest_hook!(Reasoning, on_reasoning);
guest_hook!(ModelCall, on_model_call);
guest_hook!(Acting, on_acting);
guest_hook!(CompressContext, on_compress_context);

async fn call_onion<H: GuestHook>(
    guest: &mut GuestInstance,
    request: H::Request,
    next: Next<H>,
    out: Sink,
) -> Answer<H::Response> {
    let state = guest.store.data_mut();
    let request = state.give(request)?;
    let (next, close) = CallHandles::open(state, next)?.split();
    let sink = state.give(SinkHandle::new(out))?;
    let sink_rep = sink.rep();
    let answer = H::enter(guest, request, next, sink).await?;
    let state = guest.store.data_mut();
    close(state);
    close_sink(state, sink_rep);
    match answer {
        Ok(response) => Ok(Ok(state.table.delete(response)?)),
        Err(error) => Ok(Err(error)),
    }
}

async fn call_permission(
    guest: &mut GuestInstance,
    request: PermissionRequest,
    next: Next<CheckPermission>,
) -> Answer<PermissionDecision> {
    let hook = hook_guest!(guest, on_check_permission);
    let state = guest.store.data_mut();
    let request = state.give(request)?;
    let (next, close) = CallHandles::open(state, next)?.split();
    let answer = hook.call_handle(&mut guest.store, request, next).await?;
    close(guest.store.data_mut());
    Ok(answer.map(permission_from_guest))
}

async fn call_list_tools(guest: &mut GuestInstance) -> Answer<Vec<types::ToolDefinition>> {
    hook_guest!(guest, tool_source).call_list_tools(&mut guest.store).await
}

async fn call_tool(guest: &mut GuestInstance, request: ToolRequest, out: Sink) -> Answer<ToolResponse> {
    let hook = hook_guest!(guest, tool_source);
    let state = guest.store.data_mut();
    let request = state.give(request)?;
    let sink = state.give(SinkHandle::new(out))?;
    let sink_rep = sink.rep();
    let answer = hook.call_call_tool(&mut guest.store, request, sink).await?;
    let state = guest.store.data_mut();
    close_sink(state, sink_rep);
    match answer {
        Ok(response) => Ok(Ok(state.table.delete(response)?)),
        Err(error) => Ok(Err(error)),
    }
}

async fn call_system_prompt(guest: &mut GuestInstance, prompt: String) -> Answer<String> {
    hook_guest!(guest, on_system_prompt).call_transform(&mut guest.store, &prompt).await
}

async fn call_review(
    guest: &mut GuestInstance,
    draft: Draft,
) -> Answer<super::bindings::cepa::middleware::requests::Verdict> {
    let hook = hook_guest!(guest, on_draft);
    let draft = guest.store.data_mut().give(draft)?;
    hook.call_review(&mut guest.store, draft).await
}

async fn call_turn_end(guest: &mut GuestInstance, turn: TurnSummary) -> wasmtime::Result<()> {
    let hook = hook_guest!(guest, on_turn_end);
    let turn = guest.store.data_mut().give(turn)?;
    hook.call_observe(&mut guest.store, turn).await
}

async fn call_event_kinds(guest: &mut GuestInstance) -> wasmtime::Result<EventKinds> {
    let kinds = hook_guest!(guest, on_events).call_kinds(&mut guest.store).await?;
    Ok(kinds_from_guest(kinds))
}

async fn call_events(
    guest: &mut GuestInstance,
    events: Vec<Event>,
) -> Answer<Vec<super::bindings::cepa::middleware::events::Event>> {
    let hook = hook_guest!(guest, on_events);
    let events: Vec<_> = events.into_iter().map(event_to_guest).collect();
    hook.call_transform(&mut guest.store, &events).await
}

/// Makes the closure that owns the instance during a call.
macro_rules! owning {
    ($guest:ident => $call:expr) => {
        |mut owned: GuestInstance| async move {
            let result = {
                let $guest = &mut owned;
                $call.await
            };
            (owned, result)
        }
    };
}

impl ComponentLayer {
    /// Calls the instance of `on-events`, made at the first call and kept.
    async fn call_filter<T, F, R>(&self, call: F) -> Result<T, Failure>
    where
        F: FnOnce(GuestInstance) -> R,
        R: Future<Output = (GuestInstance, wasmtime::Result<T>)>,
    {
        let mut place = self.events.lock().await;
        let guest = match place.take() {
            Some(guest) => guest,
            None => self.fresh(HookKind::Events).await?,
        };
        let (guest, value) = self.bounded(HookKind::Events, guest, call).await?;
        *place = Some(guest);
        Ok(value)
    }
}

impl Layer for ComponentLayer {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        next: Next<Reply>,
        out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(self.onion(request, next, out))
    }

    fn on_reasoning(
        self: Arc<Self>,
        request: ReasoningRequest,
        next: Next<Reasoning>,
        out: Sink,
    ) -> HookFuture<ReasoningResponse> {
        Box::pin(self.onion(request, next, out))
    }

    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        next: Next<ModelCall>,
        out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(self.onion(request, next, out))
    }

    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        next: Next<Acting>,
        out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(self.onion(request, next, out))
    }

    fn on_compress_context(
        self: Arc<Self>,
        request: CompressRequest,
        next: Next<CompressContext>,
        out: Sink,
    ) -> HookFuture<CompressResponse> {
        Box::pin(self.onion(request, next, out))
    }

    fn on_check_permission(
        self: Arc<Self>,
        request: PermissionRequest,
        next: Next<CheckPermission>,
        _out: Sink,
    ) -> HookFuture<PermissionDecision> {
        Box::pin(async move {
            let call = owning!(guest => call_permission(guest, request, next));
            Ok(self.call(HookKind::CheckPermission, call).await?.map_err(error_from_guest)?)
        })
    }

    fn on_system_prompt(self: Arc<Self>, prompt: String) -> HookFuture<String> {
        Box::pin(async move {
            let call = owning!(guest => call_system_prompt(guest, prompt));
            Ok(self.call(HookKind::SystemPrompt, call).await?.map_err(error_from_guest)?)
        })
    }

    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async move { self.call_filter(owning!(guest => call_event_kinds(guest))).await })
    }

    fn on_events(self: Arc<Self>, events: Vec<Event>) -> HookFuture<Vec<Event>> {
        Box::pin(async move {
            let call = owning!(guest => call_events(guest, events));
            let events = self.call_filter(call).await?.map_err(error_from_guest)?;
            Ok(events.into_iter().map(event_from_guest).collect::<Result<Vec<_>, Error>>()?)
        })
    }

    fn on_draft(self: Arc<Self>, draft: Draft) -> HookFuture<Verdict> {
        Box::pin(async move {
            let call = owning!(guest => call_review(guest, draft));
            let verdict = self.call(HookKind::Draft, call).await?.map_err(error_from_guest)?;
            Ok(verdict_from_guest(verdict)?)
        })
    }

    fn call_tool(self: Arc<Self>, request: ToolRequest, out: Sink) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            let call = owning!(guest => call_tool(guest, request, out));
            let response = self.call(HookKind::ToolSource, call).await?.map_err(error_from_guest)?;
            if response.state == ToolState::Parked {
                let text = "a middleware's tool can't park; only tools that run outside can";
                return Err(Error::new(ErrorKind::Unsupported, text).into());
            }
            Ok(response)
        })
    }

    fn on_turn_end(self: Arc<Self>, turn: TurnSummary) -> HookFuture<()> {
        Box::pin(
            async move { self.call(HookKind::TurnEnd, owning!(guest => call_turn_end(guest, turn))).await },
        )
    }
}

/// Checks that a component's hooks have the types of the contract, and asks for its configuration's schema.
pub(super) async fn check_hooks(guest: &mut GuestInstance) -> wasmtime::Result<Option<String>> {
    macro_rules! check {
        ($($field:ident),+) => {
            $(if guest.indices.$field.is_some() {
                let _ = hook_guest!(guest, $field);
            })+
        };
    }
    check!(
        on_reply,
        on_reasoning,
        on_model_call,
        on_acting,
        on_compress_context,
        on_check_permission,
        on_system_prompt,
        on_events,
        on_draft,
        tool_source,
        on_turn_end
    );
    if guest.indices.configuration.is_none() {
        return Ok(None);
    }
    let configuration = hook_guest!(guest, configuration);
    configuration.call_schema(&mut guest.store).await.map(Some)
}
