//! What the host keeps for one instance: the data of its store.

use std::sync::Arc;

use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::chain::{HookKind, NoteKind, ReplyContext};
use crate::error::{Error, ErrorKind};
use crate::http::{Client, Resolver};
use crate::policy::{Grants, LayerSpec};
use crate::workspace::Workspace;

use super::budget::{Budget, Line, LogBudget, ReplyBudget, Ticks};
use super::jobs::LayerJobs;
use super::load_error::LoadError;
use super::output::{GuestOutput, Printed};
use super::recording::watched_wasi;
use super::resources::Unreadable;
use super::spans::OpenSpans;
use super::tap::{Seam, Watch};

/// How much of a text is kept to explain a fault or a denial: guests may send megabytes.
const SHOWN_MAX: usize = 1_000;

/// Bytes of chance in one call of WASI: as many as the contract's own `random` gives.
const WASI_RANDOM_BYTES_MAX: u64 = 65_536;

/// A layer of the manifest as its instances see it.
#[derive(Debug)]
pub(super) struct LayerInfo {
    pub(super) spec: LayerSpec,
    /// The configuration as the guest reads it.
    pub(super) config: String,
    /// The network as the layer may use it.
    pub(super) http: Client,
    /// Whether the component imports WASI, so that it needs an empty world of it.
    pub(super) wasi: bool,
    /// The files it may use; none if no mount was granted.
    pub(super) workspace: Option<Arc<Workspace>>,
    /// Its work on threads that may wait.
    pub(super) jobs: LayerJobs,
    /// Who looks on at it.
    pub(super) watch: Option<Watch>,
}

impl LayerInfo {
    /// The layer of this specification, which looks names up here.
    pub(super) fn new(
        spec: LayerSpec,
        wasi: bool,
        workspace: Option<Arc<Workspace>>,
        resolver: Arc<dyn Resolver>,
        jobs: LayerJobs,
    ) -> Result<Self, LoadError> {
        let Grants { http, secrets, .. } = &spec.grants;
        let http = Client::new(http, secrets, resolver, spec.limits.http())
            .map_err(|error| LoadError::Grants { layer: spec.name.clone(), cause: error.to_string() })?;
        Ok(Self { config: spec.config.to_string(), http, workspace, spec, wasi, jobs, watch: None })
    }

    /// The same with somebody who looks on.
    pub(super) fn watched(self, watch: Option<Watch>) -> Self {
        Self { watch, ..self }
    }
}

/// The data of a store.
pub(super) struct GuestState {
    pub(super) table: ResourceTable,
    pub(super) context: Arc<ReplyContext>,
    pub(super) layer: Arc<LayerInfo>,
    pub(super) budget: Budget,
    /// What the guest said at last at error level: as a rule the text of its panic.
    pub(super) last_error: Option<String>,
    /// What is wrong with responses that the guest has made.
    pub(super) unreadable: Unreadable,
    /// What the layer may still spend in this reply.
    pub(super) reply_budget: Arc<ReplyBudget>,
    /// What it measures and has not ended.
    pub(super) spans: OpenSpans,
    /// Who looks on.
    pub(super) seam: Option<Seam>,
    wasi: Option<Wasi>,
    /// The hook call that runs, until what it spent is in the ledger.
    hook: Option<HookKind>,
}

struct Wasi {
    context: WasiCtx,
    output: GuestOutput,
}

impl Wasi {
    /// An empty world: no environment, arguments, files or sockets; what is printed goes to the log.
    fn new(log: Arc<LogBudget>, seam: Option<&Seam>) -> Self {
        let output = GuestOutput::new(log);
        let mut context = WasiCtxBuilder::new();
        context
            .stdout(output.clone())
            .stderr(output.clone())
            // Without these a guest gets sockets of the system, even if it may connect to nothing.
            .allow_tcp(false)
            .allow_udp(false)
            .max_random_size(WASI_RANDOM_BYTES_MAX);
        if let Some(source) = seam.and_then(Seam::source) {
            watched_wasi(&mut context, &source);
        }
        Self { context: context.build(), output }
    }
}

impl GuestState {
    pub(super) fn new(
        context: Arc<ReplyContext>,
        layer: Arc<LayerInfo>,
        reply_budget: Arc<ReplyBudget>,
        seam: Option<Seam>,
        ticks: Ticks,
    ) -> Self {
        let limits = &layer.spec.limits;
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles as usize);
        let budget = Budget::new(ticks, limits);
        let wasi = layer.wasi.then(|| Wasi::new(Arc::clone(&reply_budget.log), seam.as_ref()));
        let unreadable = Unreadable::default();
        Self {
            table,
            context,
            budget,
            last_error: None,
            unreadable,
            reply_budget,
            spans: OpenSpans::default(),
            seam,
            wasi,
            layer,
            hook: None,
        }
    }

    /// A call of this hook begins, or one that is no hook's: its budgets are whole.
    pub(super) fn begin(&mut self, hook: Option<HookKind>) {
        self.budget.begin();
        self.last_error = None;
        self.hook = hook;
    }

    /// The hook whose call runs, if it is one.
    pub(super) fn hook(&self) -> Option<HookKind> {
        self.hook
    }

    /// Ends what the guest left open, and writes what the hook call spent into the ledger, once.
    pub(super) fn settle(&mut self) {
        for (source, span) in self.spans.end_all(self.context.world.monotonic()) {
            self.context.tell_span(source, span);
        }
        if let Some(hook) = self.hook.take()
            && self.context.ledger.keeps()
        {
            self.context.ledger.spend(&self.layer.spec.name, hook, &self.budget.spent());
        }
    }

    /// Does work for the guest that may take long, on a thread that may wait. Waiting for room is the guest's own time.
    pub(super) async fn job<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let done = self.budget.waiting(self.layer.jobs.run(work)).await;
        done.map_err(|_| Error::internal("the host broke off in its work for this call"))
    }

    /// Gives the guest a handle.
    pub(super) fn give<T: Send + 'static>(&mut self, value: T) -> wasmtime::Result<Resource<T>> {
        Ok(self.table.push(value)?)
    }

    /// Writes a line to the layer's log, as far as its limit allows. The first line past it is replaced by a word
    /// about the limit.
    pub(super) fn log(&mut self, level: &'static str, message: String) {
        if level == "error" {
            self.last_error = Some(shortened(&message));
        }
        let bytes = message.len() as u64 + 1;
        self.budget.log(bytes);
        match self.reply_budget.log.take(bytes) {
            Line::Kept => self.note_line(level, message),
            Line::Last(word) => self.note_line("warn", word),
            Line::Dropped => {}
        }
    }

    fn note_line(&self, level: &'static str, message: String) {
        self.context.ledger.note(&self.layer.spec.name, NoteKind::Log { level, message });
    }

    /// Moves what the guest printed since the last time to the log. It has taken its room there already.
    pub(super) fn drain_output(&mut self) {
        let Some(wasi) = &self.wasi else { return };
        let Printed { text, bytes, word, dropped } = wasi.output.take();
        self.budget.log(bytes);
        for line in String::from_utf8_lossy(&text).lines().filter(|line| !line.trim().is_empty()) {
            self.last_error = Some(shortened(line));
            self.note_line("error", line.to_owned());
        }
        if let Some(word) = word {
            self.note_line("warn", word);
        }
        if !dropped.is_empty() {
            self.last_error = Some(shortened(&String::from_utf8_lossy(&dropped)));
        }
    }

    /// The error of a capability that was not granted; noted for the operator as well.
    pub(super) fn denied(&self, capability: &'static str, object: &str) -> Error {
        let object = self.note_denied(capability, object);
        let object = if object.is_empty() { String::new() } else { format!(" for `{object}`") };
        Error::new(ErrorKind::Denied, format!("the capability `{capability}` is not granted{object}"))
            .code("not-granted")
    }

    /// Notes for the operator that the layer asked for what it was not granted. Gives the object's name, shortened.
    pub(super) fn note_denied(&self, capability: &'static str, object: &str) -> String {
        let object = shortened(object);
        let kind = NoteKind::Denied { capability, object: object.clone() };
        self.context.ledger.note(&self.layer.spec.name, kind);
        object
    }
}

/// A call that is cut off, by its limits or with its reply, has spent as well.
impl Drop for GuestState {
    fn drop(&mut self) {
        self.settle();
    }
}

/// The begin of a text, whole if it is short.
fn shortened(text: &str) -> String {
    if text.len() <= SHOWN_MAX {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(SHOWN_MAX);
    format!("{}… ({} bytes)", text.get(..end).unwrap_or_default(), text.len())
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        // Nothing can be refused here: what is past the limit is found at the next tick.
        let _ = self.budget.call();
        let (log, seam) = (&self.reply_budget.log, self.seam.as_ref());
        let wasi = self.wasi.get_or_insert_with(|| Wasi::new(Arc::clone(log), seam));
        WasiCtxView { ctx: &mut wasi.context, table: &mut self.table }
    }
}
