//! The engine: one per sandbox, and the thread that lets it interrupt guests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::policy::{STACK_BYTES, TABLE_ELEMENTS_MAX};

use super::budget::{CORE_INSTANCES_MAX, MEMORIES_MAX, TABLES_MAX, TICK, Ticks};
use super::jobs::AllJobs;

/// How many instances may live at once unless it is said otherwise: a thousand replies that wait, of five layers each.
/// Each holds address space, not memory, until it is used: about 4 GiB of the 128 TiB that a process has.
pub(super) const INSTANCES_MAX: u32 = 5_120;

/// Bytes of a pooled memory that stay resident when its instance ends, where the kernel can tell which were used.
const KEEP_RESIDENT: usize = 256 << 10;

/// What the sandbox has made so far: for tests and benches, which assert counts instead of times.
#[derive(Debug, Default)]
pub struct Counts {
    compilations: AtomicU64,
    cache_hits: AtomicU64,
    stores: AtomicU64,
    stores_alive: AtomicU64,
    components_alive: AtomicU64,
    hook_calls: AtomicU64,
}

impl Counts {
    /// Components compiled.
    pub fn compilations(&self) -> u64 {
        self.compilations.load(Ordering::Relaxed)
    }

    /// Components loaded from the compiled cache.
    pub fn cache_hits(&self) -> u64 {
        self.cache_hits.load(Ordering::Relaxed)
    }

    /// Stores made, each with one instance.
    pub fn stores(&self) -> u64 {
        self.stores.load(Ordering::Relaxed)
    }

    /// Stores that are alive now.
    pub fn stores_alive(&self) -> u64 {
        self.stores_alive.load(Ordering::SeqCst)
    }

    /// Components that are loaded now.
    pub fn components_alive(&self) -> u64 {
        self.components_alive.load(Ordering::SeqCst)
    }

    /// Calls into guests.
    pub fn hook_calls(&self) -> u64 {
        self.hook_calls.load(Ordering::Relaxed)
    }

    pub(super) fn compiled(&self) {
        self.compilations.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn cache_hit(&self) {
        self.cache_hits.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a store, for as long as the result lives.
    pub(super) fn store_made(self: &Arc<Self>) -> Alive {
        self.stores.fetch_add(1, Ordering::Relaxed);
        self.alive(|counts| &counts.stores_alive)
    }

    /// Counts a component, for as long as the result lives.
    pub(super) fn component_loaded(self: &Arc<Self>) -> Alive {
        self.alive(|counts| &counts.components_alive)
    }

    fn alive(self: &Arc<Self>, count: fn(&Self) -> &AtomicU64) -> Alive {
        count(self).fetch_add(1, Ordering::SeqCst);
        Alive { counts: Arc::clone(self), count }
    }

    pub(super) fn hook_called(&self) {
        self.hook_calls.fetch_add(1, Ordering::Relaxed);
    }
}

/// Something that is alive and counted as that.
#[derive(Debug)]
pub(super) struct Alive {
    counts: Arc<Counts>,
    count: fn(&Counts) -> &AtomicU64,
}

impl Drop for Alive {
    fn drop(&mut self) {
        (self.count)(&self.counts).fetch_sub(1, Ordering::SeqCst);
    }
}

/// An engine with its ticks.
#[derive(Clone, Debug)]
pub(super) struct Runtime {
    pub(super) engine: Engine,
    pub(super) ticks: Ticks,
    pub(super) counts: Arc<Counts>,
    pub(super) jobs: AllJobs,
    /// How many instances may live at once.
    pub(super) instances: u32,
    /// Why instances are not pooled, if they are not.
    pub(super) unpooled: Option<String>,
}

impl Runtime {
    /// An engine with a pool of so many instances, or without where the system denies the address space.
    pub(super) fn new(instances: u32) -> wasmtime::Result<Self> {
        let (engine, unpooled) = match Engine::new(&config(Some(instances))) {
            Ok(engine) => (engine, None),
            Err(error) => {
                let reason = format!("{error:#}");
                tracing::warn!("instances are not pooled, so each hook's first call is slower: {reason}");
                (Engine::new(&config(None))?, Some(reason))
            }
        };
        let ticks = Ticks::default();
        start_ticking(&engine, ticks.clone())?;
        Ok(Self { engine, ticks, counts: Arc::default(), jobs: AllJobs::default(), instances, unpooled })
    }
}

fn config(pooled: Option<u32>) -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        // Everything a middleware does not need is one thing less to attack.
        .concurrency_support(false)
        .wasm_memory64(false)
        .wasm_relaxed_simd(false)
        .memory_init_cow(true)
        .max_wasm_stack(STACK_BYTES)
        .wasm_backtrace_details(wasmtime::WasmBacktraceDetails::Disable);
    if let Some(instances) = pooled {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(instances)));
    }
    config
}

fn pool(instances: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(instances)
        .total_core_instances(instances.saturating_mul(16))
        // All but the oddest components have one. A component may have more as long as others leave room for them.
        .total_memories(instances.saturating_add(MEMORIES_MAX))
        .total_tables(instances.saturating_mul(4))
        .total_stacks(instances)
        .max_core_instances_per_component(CORE_INSTANCES_MAX)
        .max_memories_per_component(MEMORIES_MAX)
        .max_memories_per_module(MEMORIES_MAX)
        .max_tables_per_component(TABLES_MAX)
        .max_tables_per_module(TABLES_MAX)
        .table_elements(TABLE_ELEMENTS_MAX as usize)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(16 << 10)
        .pagemap_scan(Enabled::Auto);
    pool
}

/// Advances the engine's epoch from a thread of its own: a timer of the async runtime would starve beside a guest
/// that spins. The thread ends with the engine.
fn start_ticking(engine: &Engine, ticks: Ticks) -> wasmtime::Result<()> {
    let weak = engine.weak();
    std::thread::Builder::new()
        .name("cepa-epoch".to_owned())
        .spawn(move || {
            while let Some(engine) = weak.upgrade() {
                ticks.advance();
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(TICK);
            }
        })
        .map(drop)
        .map_err(wasmtime::Error::from)
}
