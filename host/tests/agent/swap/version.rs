//! A layer in several versions, each of which notes when it is called, and a model that always answers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use cepa::chain::{
    ChainEntry, HookFuture, HookKind, HookSet, Layer, Middleware, ModelCall, Next, Reply, ReplyContext, Sink,
};
use cepa::error::{Error, Failure, Fault};
use cepa::message::{Block, ToolDefinition, ToolState};
use cepa::model::Model;
use cepa::request::{
    ModelRequest, ModelResponse, ReplyRequest, ReplyResponse, ToolRequest, ToolResponse, TurnSummary,
};
use futures::future::BoxFuture;
use tokio::sync::Semaphore;

/// Where the replies of each session wait.
pub(super) type Gates = Arc<BTreeMap<&'static str, Semaphore>>;

/// Closed gates for these sessions.
pub(super) fn gates<const N: usize>(sessions: [&'static str; N]) -> Gates {
    Arc::new(sessions.map(|session| (session, Semaphore::new(0))).into())
}

/// Takes over state: gets the configuration before, and the context.
pub(super) type Migrate =
    Arc<dyn Fn(String, Arc<ReplyContext>) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// Which version of which layer was called at which hook of which reply.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<Line>>>);

#[derive(Clone)]
struct Line {
    reply: String,
    layer: &'static str,
    hook: &'static str,
    version: &'static str,
}

impl Log {
    /// The hooks of a reply in order, each with the version that was called.
    pub(super) fn of(&self, reply: &str) -> Vec<(&'static str, &'static str)> {
        self.lines(reply).iter().map(|line| (line.hook, line.version)).collect()
    }

    /// The layers that a hook of a reply entered, in order.
    pub(super) fn layers_of(&self, reply: &str, hook: &str) -> Vec<String> {
        let lines = self.lines(reply);
        lines.iter().filter(|line| line.hook == hook).map(|line| line.layer.to_owned()).collect()
    }

    fn lines(&self, reply: &str) -> Vec<Line> {
        self.0.lock().unwrap().iter().filter(|line| line.reply == reply).cloned().collect()
    }
}

/// A middleware in one version.
pub(super) struct Version {
    name: &'static str,
    version: &'static str,
    config: String,
    log: Log,
    gates: Option<Gates>,
    /// How many of its next model calls break a rule.
    faults: Arc<AtomicU32>,
    tools: Result<Vec<ToolDefinition>, ()>,
    migrate: Option<Migrate>,
    quota: u64,
    alive: Arc<()>,
}

impl Version {
    pub(super) fn new(name: &'static str, version: &'static str, log: &Log) -> Self {
        Self {
            name,
            version,
            config: format!("{{\"of\":\"{version}\"}}"),
            log: log.clone(),
            gates: None,
            faults: Arc::default(),
            tools: Ok(Vec::new()),
            migrate: None,
            quota: u64::MAX,
            alive: Arc::new(()),
        }
    }

    /// The same, but each reply waits for a permit of its session's gate.
    pub(super) fn gated(mut self, gates: &Gates) -> Self {
        self.gates = Some(Arc::clone(gates));
        self
    }

    /// The same, but its first model calls break a rule.
    pub(super) fn faulty(self, calls: u32) -> Self {
        self.faults.store(calls, Ordering::SeqCst);
        self
    }

    pub(super) fn tool(mut self, tool: ToolDefinition) -> Self {
        self.tools = Ok(vec![tool]);
        self
    }

    /// The same, but it can't list its tools.
    pub(super) fn without_tools(mut self) -> Self {
        self.tools = Err(());
        self
    }

    pub(super) fn migrating(mut self, migrate: Migrate) -> Self {
        self.migrate = Some(migrate);
        self
    }

    /// The same, but its state may come to so many bytes.
    pub(super) fn quota(mut self, bytes: u64) -> Self {
        self.quota = bytes;
        self
    }

    /// Tells whether it is freed.
    pub(super) fn alive(&self) -> Weak<()> {
        Arc::downgrade(&self.alive)
    }

    pub(super) fn entry(self) -> ChainEntry {
        ChainEntry::new(self)
    }
}

impl Middleware for Version {
    fn name(&self) -> &str {
        self.name
    }

    fn hooks(&self) -> HookSet {
        [HookKind::Reply, HookKind::ModelCall, HookKind::ToolSource, HookKind::TurnEnd].into_iter().collect()
    }

    fn version(&self) -> Option<&str> {
        Some(self.version)
    }

    fn config(&self) -> &str {
        &self.config
    }

    fn state_quota(&self) -> u64 {
        self.quota
    }

    fn migrate(&self, from_config: String, context: Arc<ReplyContext>) -> BoxFuture<'_, Result<(), Failure>> {
        match &self.migrate {
            Some(migrate) => migrate(from_config, context),
            None => Box::pin(async { Ok(()) }),
        }
    }

    fn list_tools(&self) -> BoxFuture<'_, Result<Vec<ToolDefinition>, Failure>> {
        let tools = self.tools.clone().map_err(|()| Error::internal("no list today").into());
        Box::pin(async { tools })
    }

    fn open(&self, reply: &Arc<ReplyContext>) -> Arc<dyn Layer> {
        Arc::new(Opened {
            name: self.name,
            version: self.version,
            reply: reply.reply_id.clone(),
            log: self.log.clone(),
            session: reply.session_id.clone(),
            gates: self.gates.clone(),
            faults: Arc::clone(&self.faults),
            _alive: Arc::clone(&self.alive),
        })
    }
}

struct Opened {
    name: &'static str,
    version: &'static str,
    reply: String,
    log: Log,
    session: String,
    gates: Option<Gates>,
    faults: Arc<AtomicU32>,
    _alive: Arc<()>,
}

impl Opened {
    fn note(&self, hook: &'static str) {
        let line = Line { reply: self.reply.clone(), layer: self.name, hook, version: self.version };
        self.log.0.lock().unwrap().push(line);
    }
}

impl Layer for Opened {
    fn on_reply(
        self: Arc<Self>,
        request: ReplyRequest,
        mut next: Next<Reply>,
        _out: Sink,
    ) -> HookFuture<ReplyResponse> {
        Box::pin(async move {
            self.note("on-reply");
            if let Some(gates) = &self.gates {
                gates[self.session.as_str()].acquire().await.expect("the gate is never closed").forget();
            }
            Ok(next.run(request).await?)
        })
    }

    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        mut next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move {
            self.note("on-model-call");
            let one_less = |left: u32| left.checked_sub(1);
            if self.faults.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok() {
                let cause = format!("version {} broke a rule", self.version);
                return Err(Fault { layer: self.name.to_owned(), hook: "on-model-call", cause }.into());
            }
            Ok(next.run(request).await?)
        })
    }

    fn call_tool(self: Arc<Self>, _request: ToolRequest, _out: Sink) -> HookFuture<ToolResponse> {
        Box::pin(async { Ok(ToolResponse::text_answer(ToolState::Success, "done")) })
    }

    fn on_turn_end(self: Arc<Self>, _turn: TurnSummary) -> HookFuture<()> {
        self.note("on-turn-end");
        Box::pin(async { Ok(()) })
    }
}

/// A model that always answers `yes`.
pub(super) struct Yes;

impl Model for Yes {
    fn provider(&self) -> &'static str {
        "test"
    }

    fn model_name(&self) -> &'static str {
        "yes-1"
    }

    fn call(
        &self,
        _request: ModelRequest,
        _call_id: String,
        _out: Sink,
    ) -> BoxFuture<'static, Result<ModelResponse, Error>> {
        Box::pin(async { Ok(ModelResponse::answer(vec![Block::Text { text: "yes".to_owned() }])) })
    }
}
