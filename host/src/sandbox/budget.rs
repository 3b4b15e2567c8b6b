//! What one hook call may spend: computing time, own time, memory. Each bound is checked where it is spent.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wasmtime::ResourceLimiter;

use crate::policy::Limits;

/// How often the engine looks whether a guest has computed too long.
pub(super) const TICK: Duration = Duration::from_millis(1);

/// Elements of all tables of a store. No middleware needs as many; a bigger table only costs the host memory.
pub(super) const TABLE_ELEMENTS_MAX: usize = 100_000;

/// Counts the engine's ticks since the host began.
#[derive(Clone, Debug, Default)]
pub(super) struct Ticks(Arc<AtomicU64>);

impl Ticks {
    pub(super) fn advance(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A bound that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LimitHit {
    /// The limit's name in the manifest.
    pub(super) limit: &'static str,
    pub(super) allowed: String,
    pub(super) used: String,
}

impl std::fmt::Display for LimitHit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "limit `{}` reached: {} of {} allowed", self.limit, self.used, self.allowed)
    }
}

impl std::error::Error for LimitHit {}

/// Computing time of the running hook call, in ticks.
#[derive(Debug)]
pub(super) struct CpuBudget {
    ticks: Ticks,
    used: u64,
    allowed: u64,
    /// The tick up to which time is accounted for.
    seen: u64,
}

/// A tick that was waited for may be seen late. More than this at once was not the guest's computing.
const TICKS_AT_ONCE: u64 = 2;

impl CpuBudget {
    pub(super) fn new(ticks: Ticks, limits: &Limits) -> Self {
        let allowed = u64::try_from(limits.cpu.as_millis() / TICK.as_millis()).unwrap_or(u64::MAX);
        Self { ticks, used: 0, allowed, seen: 0 }
    }

    /// A new hook call begins.
    pub(super) fn begin(&mut self) {
        self.used = 0;
        self.seen = self.ticks.now();
    }

    /// The guest goes on after it waited: that time was not computing.
    pub(super) fn waited(&mut self) {
        self.seen = self.ticks.now();
    }

    /// Whether no tick has passed since the guest last waited or began.
    pub(super) fn is_fresh(&self) -> bool {
        self.ticks.now() == self.seen
    }

    /// The engine saw a tick pass while the guest computed.
    pub(super) fn tick(&mut self) -> Result<(), LimitHit> {
        let now = self.ticks.now();
        self.used += now.saturating_sub(self.seen).min(TICKS_AT_ONCE);
        self.seen = now;
        if self.used <= self.allowed {
            return Ok(());
        }
        Err(LimitHit {
            limit: "cpu",
            allowed: format!("{} ms", self.allowed),
            used: format!("{} ms", self.used),
        })
    }
}

/// Own time of the running hook call: what is inside, and waiting for those outside, does not count.
#[derive(Clone, Debug)]
pub(super) struct OwnTime(Arc<Mutex<Clock>>);

#[derive(Debug)]
struct Clock {
    start: Instant,
    outside: Duration,
    left: Option<Instant>,
}

impl Default for OwnTime {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Clock { start: Instant::now(), outside: Duration::ZERO, left: None })))
    }
}

impl OwnTime {
    /// A new hook call begins.
    pub(super) fn begin(&self) {
        *self.lock() = Clock { start: Instant::now(), outside: Duration::ZERO, left: None };
    }

    /// From now on somebody else is busy.
    fn leave(&self) {
        self.lock().left = Some(Instant::now());
    }

    /// The layer is busy again.
    fn resume(&self) {
        let mut clock = self.lock();
        if let Some(left) = clock.left.take() {
            clock.outside += left.elapsed();
        }
    }

    /// Whether somebody else is busy now.
    pub(super) fn is_away(&self) -> bool {
        self.lock().left.is_some()
    }

    /// How long the layer itself was busy.
    pub(super) fn spent(&self) -> Duration {
        let clock = self.lock();
        let away = clock.outside + clock.left.map(|left| left.elapsed()).unwrap_or_default();
        clock.start.elapsed().saturating_sub(away)
    }

    fn lock(&self) -> MutexGuard<'_, Clock> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits while somebody else is busy, so that the time counts neither as own nor as computing.
pub(super) async fn outside<T>(own_time: &OwnTime, cpu: &mut CpuBudget, wait: impl Future<Output = T>) -> T {
    own_time.leave();
    let result = wait.await;
    own_time.resume();
    cpu.waited();
    result
}

/// Memory of a store: all its memories together, and its tables.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    allowed: u64,
    used: u64,
    table_elements: usize,
    hit: Option<LimitHit>,
}

impl MemoryBudget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { allowed: limits.memory, used: 0, table_elements: 0, hit: None }
    }

    /// The bound that was reached last, if any: it explains a trap that follows.
    pub(super) fn hit(&self) -> Option<&LimitHit> {
        self.hit.as_ref()
    }
}

impl ResourceLimiter for MemoryBudget {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let used = self.used.saturating_sub(current as u64).saturating_add(desired as u64);
        if used > self.allowed {
            let hit = LimitHit {
                limit: "memory",
                allowed: format!("{} bytes", self.allowed),
                used: format!("{used} bytes"),
            };
            self.hit = Some(hit);
            return Ok(false);
        }
        self.used = used;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let elements = self.table_elements.saturating_sub(current).saturating_add(desired);
        if elements > TABLE_ELEMENTS_MAX {
            let hit = LimitHit {
                limit: "tables",
                allowed: format!("{TABLE_ELEMENTS_MAX} elements"),
                used: format!("{elements} elements"),
            };
            self.hit = Some(hit);
            return Ok(false);
        }
        self.table_elements = elements;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_memories_count_together() {
        let mut budget = MemoryBudget::new(&Limits { memory: 100, ..Limits::default() });
        assert!(budget.memory_growing(0, 60, None).unwrap());
        assert!(budget.memory_growing(0, 40, None).unwrap());
        assert!(!budget.memory_growing(40, 41, None).unwrap());
        assert_eq!(
            budget.hit().unwrap().to_string(),
            "limit `memory` reached: 101 bytes of 100 bytes allowed"
        );
    }

    #[test]
    fn waiting_is_not_computing() {
        let ticks = Ticks::default();
        let mut cpu =
            CpuBudget::new(ticks.clone(), &Limits { cpu: Duration::from_millis(3), ..Limits::default() });
        cpu.begin();
        for _ in 0..50 {
            (0..20).for_each(|_| ticks.advance());
            cpu.waited();
            cpu.tick().unwrap();
        }
        (0..3).for_each(|_| {
            ticks.advance();
            cpu.tick().unwrap();
        });
        ticks.advance();
        assert_eq!(cpu.tick().unwrap_err().limit, "cpu");
    }
}
