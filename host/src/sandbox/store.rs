//! What the host keeps for one instance: the data of its store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::chain::{NoteKind, ReplyContext};
use crate::error::{Error, ErrorKind};
use crate::policy::LayerSpec;

use super::budget::{CpuBudget, MemoryBudget, OwnTime};

/// Handles that one instance may hold at once. More are a leak or an attack.
const HANDLES_MAX: usize = 10_000;

/// A layer of the manifest as its instances see it.
#[derive(Debug)]
pub(super) struct LayerInfo {
    pub(super) spec: LayerSpec,
    /// The configuration as the guest reads it.
    pub(super) config: String,
    /// Whether the component imports WASI, so that it needs an empty world of it.
    pub(super) wasi: bool,
}

/// What a layer may still log during a reply.
#[derive(Debug)]
pub(super) struct LogBudget {
    allowed: u64,
    used: AtomicU64,
}

impl LogBudget {
    pub(super) fn new(allowed: u64) -> Self {
        Self { allowed, used: AtomicU64::new(0) }
    }
}

/// The data of a store.
pub(super) struct GuestState {
    pub(super) table: ResourceTable,
    pub(super) context: Arc<ReplyContext>,
    pub(super) layer: Arc<LayerInfo>,
    pub(super) cpu: CpuBudget,
    pub(super) own_time: OwnTime,
    pub(super) memory: MemoryBudget,
    /// What the guest said at last at error level: as a rule the text of its panic.
    pub(super) last_error: Option<String>,
    log: Arc<LogBudget>,
    wasi: Option<Wasi>,
}

struct Wasi {
    context: WasiCtx,
    output: MemoryOutputPipe,
    /// How much of the output is in the log already.
    taken: usize,
}

impl Wasi {
    /// An empty world: no environment, arguments, files or sockets; what is printed goes to the log.
    fn new(log_bytes: u64) -> Self {
        let output = MemoryOutputPipe::new(usize::try_from(log_bytes).unwrap_or(usize::MAX));
        let context = WasiCtxBuilder::new().stdout(output.clone()).stderr(output.clone()).build();
        Self { context, output, taken: 0 }
    }
}

impl GuestState {
    pub(super) fn new(
        context: Arc<ReplyContext>,
        layer: Arc<LayerInfo>,
        log: Arc<LogBudget>,
        cpu: CpuBudget,
    ) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(HANDLES_MAX);
        let memory = MemoryBudget::new(&layer.spec.limits);
        let wasi = layer.wasi.then(|| Wasi::new(layer.spec.limits.log));
        Self { table, context, cpu, own_time: OwnTime::default(), memory, last_error: None, log, wasi, layer }
    }

    /// Gives the guest a handle.
    pub(super) fn give<T: Send + 'static>(&mut self, value: T) -> wasmtime::Result<Resource<T>> {
        Ok(self.table.push(value)?)
    }

    /// Writes a line to the layer's log, as far as its limit allows. The first line past it is replaced by a word
    /// about the limit.
    pub(super) fn log(&mut self, level: &'static str, message: String) {
        if level == "error" {
            self.last_error = Some(message.clone());
        }
        let bytes = message.len() as u64 + 1;
        let before = self.log.used.fetch_add(bytes, Ordering::Relaxed);
        let name = &self.layer.spec.name;
        if before.saturating_add(bytes) <= self.log.allowed {
            self.context.ledger.note(name, NoteKind::Log { level, message });
        } else if before <= self.log.allowed {
            let message = format!(
                "limit `log` reached: {} of {} bytes allowed; further lines of this reply are dropped",
                before + bytes,
                self.log.allowed
            );
            self.context.ledger.note(name, NoteKind::Log { level: "warn", message });
        }
    }

    /// Moves what the guest printed since the last time to the log.
    pub(super) fn drain_output(&mut self) {
        let Some(wasi) = &mut self.wasi else { return };
        let all = wasi.output.contents();
        let fresh = String::from_utf8_lossy(all.get(wasi.taken..).unwrap_or_default()).into_owned();
        wasi.taken = all.len();
        for line in fresh.lines().filter(|line| !line.trim().is_empty()) {
            self.log("error", line.to_owned());
        }
    }

    /// The error of a capability that was not granted; noted for the operator as well.
    pub(super) fn denied(&self, capability: &'static str, object: &str) -> Error {
        let name = &self.layer.spec.name;
        self.context.ledger.note(name, NoteKind::Denied { capability, object: object.to_owned() });
        let object = if object.is_empty() { String::new() } else { format!(" for `{object}`") };
        Error::new(ErrorKind::Denied, format!("the capability `{capability}` is not granted{object}"))
            .code("not-granted")
    }
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let log_bytes = self.layer.spec.limits.log;
        let wasi = self.wasi.get_or_insert_with(|| Wasi::new(log_bytes));
        WasiCtxView { ctx: &mut wasi.context, table: &mut self.table }
    }
}
