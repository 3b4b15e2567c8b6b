//! A component as a layer: each hook call takes an instance, gives it handles, and takes back what it answers.

use std::future::Future;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::chain::{
    Acting, CheckPermission, CompressContext, HookFuture, HookKind, Layer, ModelCall, Next, Reasoning, Reply,
    ReplyContext, Sink,
};
use crate::error::{Error, ErrorKind, Failure, Fault};
use crate::event::{Event, EventKinds};
use crate::message::ToolDefinition;
use crate::request::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionDecision,
    PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest,
    ToolResponse, TurnSummary, Verdict,
};

use super::budget::{ReplyBudget, within};
use super::calls::{
    GuestHook, call_event_kinds, call_events, call_list_tools, call_onion, call_permission, call_review,
    call_system_prompt, call_tool, call_turn_end,
};
use super::convert::{error_from_guest, event_from_guest, tools_from_guest, verdict_from_guest};
use super::instance::{GuestInstance, NotMade, Template};
use super::store::LayerInfo;
use super::tap::{CallCount, Seam};

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

/// A component in one reply.
pub(super) struct ComponentLayer {
    template: Template,
    info: Arc<LayerInfo>,
    context: Arc<ReplyContext>,
    budget: Arc<ReplyBudget>,
    calls: CallCount,
    /// Instances that are not in a call. A hook inside a hook finds none, and gets one of its own.
    idle: Mutex<Vec<GuestInstance>>,
    /// The instance of `on-events`, which remembers from call to call. `None` before the first call, during one, and after
    /// one that failed: the next call then has a fresh instance.
    events: tokio::sync::Mutex<Option<GuestInstance>>,
}

impl ComponentLayer {
    pub(super) fn new(template: Template, info: Arc<LayerInfo>, context: Arc<ReplyContext>) -> Self {
        let budget = Arc::new(ReplyBudget::new(&info.spec.limits));
        Self {
            template,
            info,
            context,
            budget,
            calls: CallCount::default(),
            idle: Mutex::default(),
            events: tokio::sync::Mutex::default(),
        }
    }

    fn idle(&self) -> parking_lot::MutexGuard<'_, Vec<GuestInstance>> {
        self.idle.lock()
    }

    fn fault(&self, hook: HookKind, cause: String) -> Failure {
        Fault { layer: self.info.spec.name.clone(), hook: hook.name(), cause }.into()
    }

    /// The guest returned what can't be used.
    fn bad_output(&self, hook: HookKind, error: &Error) -> Failure {
        self.fault(hook, format!("bad output: {error}"))
    }

    async fn fresh(&self, hook: HookKind) -> Result<GuestInstance, Failure> {
        let seam = self.info.watch.as_ref().map(|watch| Seam::of(watch, &self.calls));
        let made = self
            .template
            .instantiate(Arc::clone(&self.context), Arc::clone(&self.info), Arc::clone(&self.budget), seam)
            .await;
        made.map_err(|not_made| match not_made {
            NotMade::Crowded => {
                let text = "too many middleware instances are alive at once; try again later";
                Error::new(ErrorKind::Overloaded, text).code("instances").into()
            }
            NotMade::Failed(cause) => self.fault(hook, format!("no instance could be made: {cause}")),
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
        guest.begin(Some(hook));
        self.template.runtime.counts.hook_called();
        let own_time = guest.store.data().budget.own_time.clone();
        match within(own_time, self.info.spec.limits.wall, call(guest)).await {
            Ok((mut guest, Ok(value))) => {
                let state = guest.store.data_mut();
                state.drain_output();
                state.settle();
                Ok((guest, value))
            }
            // The store is dropped with the instance: it is never entered again.
            Ok((mut guest, Err(error))) => Err(self.fault(hook, guest.failed(&error))),
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
        if !guest.is_nearly_full() {
            self.idle().push(guest);
        }
        Ok(value)
    }

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

    async fn onion<H: GuestHook>(
        self: Arc<Self>,
        request: H::Request,
        next: Next<H>,
        out: Sink,
    ) -> Result<H::Response, Failure> {
        let call = owning!(guest => call_onion::<H>(guest, request, next, out));
        let response = self.call(H::KIND, call).await?;
        response.map_err(|error| error_from_guest(error).into())
    }

    /// The tools that the component contributes.
    pub(super) async fn list_tools(self: Arc<Self>) -> Result<Vec<ToolDefinition>, Failure> {
        let call = owning!(guest => call_list_tools(guest));
        let tools = self.call(HookKind::ToolSource, call).await?.map_err(error_from_guest)?;
        let tools = self.info.jobs.run(move || tools_from_guest(tools, &[])).await;
        let tools =
            tools.unwrap_or_else(|_| Err(Error::internal("the host broke off in checking these tools")));
        tools.map_err(|error| self.bad_output(HookKind::ToolSource, &error))
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
            let events: Result<Vec<Event>, Error> = events.into_iter().map(event_from_guest).collect();
            events.map_err(|error| self.bad_output(HookKind::Events, &error))
        })
    }

    fn on_draft(self: Arc<Self>, draft: Draft) -> HookFuture<Verdict> {
        Box::pin(async move {
            let call = owning!(guest => call_review(guest, draft));
            let verdict = self.call(HookKind::Draft, call).await?.map_err(error_from_guest)?;
            verdict_from_guest(verdict).map_err(|error| self.bad_output(HookKind::Draft, &error))
        })
    }

    fn call_tool(self: Arc<Self>, request: ToolRequest, out: Sink) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            let call = owning!(guest => call_tool(guest, request, out));
            Ok(self.call(HookKind::ToolSource, call).await?.map_err(error_from_guest)?)
        })
    }

    fn on_turn_end(self: Arc<Self>, turn: TurnSummary) -> HookFuture<()> {
        Box::pin(
            async move { self.call(HookKind::TurnEnd, owning!(guest => call_turn_end(guest, turn))).await },
        )
    }
}
