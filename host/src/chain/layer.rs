//! Layers: what stands in a chain.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::error::{Error, ErrorKind, Failure};
use crate::event::{Event, EventKinds};
use crate::message::ToolDefinition;
use crate::request::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionDecision,
    PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest,
    ToolResponse, TurnSummary, Verdict,
};

use super::context::ReplyContext;
use super::health::Health;
use super::hook::{Acting, CheckPermission, CompressContext, HookSet, ModelCall, Reasoning, Reply};
use super::next::Next;
use super::on_fault::OnFault;
use super::sink::Sink;

/// What a hook gives: its result in time, or why there is none.
pub type HookFuture<T> = BoxFuture<'static, Result<T, Failure>>;

/// Makes the layers of each reply. What a manifest's `[[middleware]]` stands for.
pub trait Middleware: Send + Sync {
    /// The layer's name, unique in its chain.
    fn name(&self) -> &str;
    /// The hooks that its layers implement. An absent hook costs nothing.
    fn hooks(&self) -> HookSet;
    /// The layer for one reply. Called once per reply, and cheap: nothing runs yet.
    fn open(&self, reply: &Arc<ReplyContext>) -> Arc<dyn Layer>;
    /// What it is made of, as the hash of its content: two of one version do the same. `None` when nothing can be said.
    fn version(&self) -> Option<&str> {
        None
    }
    /// Its configuration, a JSON object as text.
    fn config(&self) -> &str {
        "{}"
    }
    /// How many bytes its state in one scope may come to. What a migration changed is put back within this.
    fn state_quota(&self) -> u64 {
        u64::MAX
    }
    /// Takes over the state of the layer that had its name and another version, configured by `from_config`.
    ///
    /// Called before the first reply that has it, and again when a reply changed the same state meanwhile, or other
    /// layers came back whose state it is to be. Only the state of the scope `layer` is there, and what is
    /// changed of it holds only if the swap does. An error or a fault stops the swap.
    fn migrate(
        &self,
        _from_config: String,
        _context: Arc<ReplyContext>,
    ) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }
    /// The tools that it contributes. Asked once, when the agent is built or the layer comes by a swap.
    fn list_tools(&self) -> BoxFuture<'_, Result<Vec<ToolDefinition>, Failure>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// One layer during one reply. Each hook's default passes through.
///
/// A hook that is not in the middleware's [`HookSet`] is never called.
pub trait Layer: Send + Sync + 'static {
    /// Wraps a whole reply.
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move { Ok(next.run(request).await?) })
    }

    /// Wraps one step's reasoning.
    fn on_reasoning(
        self: Arc<Self>,
        request: ReasoningRequest,
        mut next: Next<Reasoning>,
        _out: Sink,
    ) -> HookFuture<ReasoningResponse> {
        Box::pin(async move { Ok(next.run(request).await?) })
    }

    /// Wraps one request to a model.
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        mut next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move { Ok(next.run(request).await?) })
    }

    /// Wraps one tool execution.
    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move { Ok(next.run(request).await?) })
    }

    /// Wraps the check whether to compress the context, and the compression.
    fn on_compress_context(
        self: Arc<Self>,
        request: CompressRequest,
        mut next: Next<CompressContext>,
        _out: Sink,
    ) -> HookFuture<CompressResponse> {
        Box::pin(async move { Ok(next.run(request).await?) })
    }

    /// Wraps the decision whether a tool call may run.
    fn on_check_permission(
        self: Arc<Self>,
        request: PermissionRequest,
        mut next: Next<CheckPermission>,
        _out: Sink,
    ) -> HookFuture<PermissionDecision> {
        Box::pin(async move { Ok(next.run(request).await?) })
    }

    /// Rewrites the assembled system prompt.
    fn on_system_prompt(self: Arc<Self>, prompt: String) -> HookFuture<String> {
        Box::pin(async move { Ok(prompt) })
    }

    /// The kinds of event that [`Layer::on_events`] is given.
    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::NONE) })
    }

    /// Takes the 1 to 64 events that are ready and gives what goes on.
    fn on_events(self: Arc<Self>, events: Vec<Event>) -> HookFuture<Vec<Event>> {
        Box::pin(async move { Ok(events) })
    }

    /// Reviews the final answer before it goes out.
    fn on_draft(self: Arc<Self>, _draft: Draft) -> HookFuture<Verdict> {
        Box::pin(async { Ok(Verdict::Accept) })
    }

    /// Runs one of the middleware's tools.
    fn call_tool(self: Arc<Self>, request: ToolRequest, _out: Sink) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            Err(Error::new(ErrorKind::NotFound, format!("no tool `{}` here", request.call.name)).into())
        })
    }

    /// Is told how the reply ended.
    fn on_turn_end(self: Arc<Self>, _turn: TurnSummary) -> HookFuture<()> {
        Box::pin(async { Ok(()) })
    }
}

/// A middleware of the host's own language: the same layer in every reply.
pub struct Native {
    name: String,
    hooks: HookSet,
    layer: Arc<dyn Layer>,
    tools: Vec<ToolDefinition>,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Native").field("name", &self.name).field("hooks", &self.hooks).finish_non_exhaustive()
    }
}

impl Native {
    /// A middleware of this layer.
    pub fn new(name: impl Into<String>, hooks: HookSet, layer: impl Layer) -> Self {
        Self { name: name.into(), hooks, layer: Arc::new(layer), tools: Vec::new() }
    }

    /// The same with tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Vec<ToolDefinition>) -> Self {
        self.tools = tools;
        self
    }
}

impl Middleware for Native {
    fn name(&self) -> &str {
        &self.name
    }

    fn hooks(&self) -> HookSet {
        self.hooks
    }

    fn open(&self, _reply: &Arc<ReplyContext>) -> Arc<dyn Layer> {
        Arc::clone(&self.layer)
    }

    fn list_tools(&self) -> BoxFuture<'_, Result<Vec<ToolDefinition>, Failure>> {
        Box::pin(async { Ok(self.tools.clone()) })
    }
}

/// A middleware in its place in a chain.
#[derive(Clone)]
pub struct ChainEntry {
    /// The middleware.
    pub middleware: Arc<dyn Middleware>,
    /// What happens when it breaks a rule.
    pub on_fault: OnFault,
    /// How often it may run what is inside during one call of one hook.
    pub next_runs_max: u32,
    /// Whether its answer may be milder than what is inside it, where that is a grant: see [`super::Hook::held`].
    pub permits: bool,
    /// How it has fared so far, and whether it is taken out.
    pub health: Health,
}

/// How often a layer may run what is inside, unless the manifest says otherwise: room for retries and fallbacks.
pub const NEXT_RUNS_DEFAULT: u32 = 16;

impl ChainEntry {
    /// An entry with the defaults.
    pub fn new(middleware: impl Middleware + 'static) -> Self {
        Self::shared(Arc::new(middleware))
    }

    /// An entry with the defaults of a shared middleware.
    pub fn shared(middleware: Arc<dyn Middleware>) -> Self {
        Self {
            middleware,
            on_fault: OnFault::default(),
            next_runs_max: NEXT_RUNS_DEFAULT,
            permits: true,
            health: Health::default(),
        }
    }
}

impl std::fmt::Debug for ChainEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChainEntry")
            .field("middleware", &self.middleware.name())
            .field("on_fault", &self.on_fault)
            .field("next_runs_max", &self.next_runs_max)
            .field("permits", &self.permits)
            .field("health", &self.health)
            .finish()
    }
}
