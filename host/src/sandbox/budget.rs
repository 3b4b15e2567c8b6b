//! What an instance may spend in one hook call. Each bound is checked where it is spent.

mod count;
mod cpu;
mod limit_hit;
mod log;
mod memory;
mod own_time;

use std::future::Future;

use crate::policy::Limits;

use super::bindings::cepa::middleware::events::Event;
use super::weight::Weight;
use count::Count;
use cpu::CpuBudget;

pub(super) use cpu::{TICK, Ticks};
pub(super) use limit_hit::LimitHit;
pub(super) use log::{Line, LogBudget};
pub(super) use memory::{CORE_INSTANCES_MAX, MEMORIES_MAX, MemoryBudget, TABLES_MAX};
pub(super) use own_time::{OwnTime, within};

/// The bounds of an instance, and how far it is from each.
#[derive(Debug)]
pub(super) struct Budget {
    cpu: CpuBudget,
    pub(super) own_time: OwnTime,
    pub(super) memory: MemoryBudget,
    host_calls: Count,
    bytes_copied: Count,
    events: Count,
    event_bytes: Count,
}

impl Budget {
    pub(super) fn new(ticks: Ticks, limits: &Limits) -> Self {
        Self {
            cpu: CpuBudget::new(ticks, limits.cpu),
            own_time: OwnTime::default(),
            memory: MemoryBudget::new(limits),
            host_calls: Count::new("host-calls", "", limits.host_calls.into()),
            bytes_copied: Count::new("bytes-copied", " bytes", limits.bytes_copied),
            events: Count::new("events", "", limits.events.into()),
            event_bytes: Count::new("event-bytes", " bytes", limits.event_bytes),
        }
    }

    /// A hook call begins: all is whole again but memory, which stays taken.
    pub(super) fn begin(&mut self) {
        self.cpu.begin();
        self.own_time.begin();
        self.memory.begin();
        for count in [&mut self.host_calls, &mut self.bytes_copied, &mut self.events, &mut self.event_bytes] {
            count.begin();
        }
    }

    /// The guest calls the host.
    pub(super) fn call(&mut self) -> Result<(), LimitHit> {
        self.host_calls.add(1)
    }

    /// Bytes are copied into or out of the guest.
    pub(super) fn copy(&mut self, bytes: u64) -> Result<(), LimitHit> {
        self.bytes_copied.add(bytes)
    }

    /// The guest sends events.
    pub(super) fn emit(&mut self, events: &[Event]) -> Result<(), LimitHit> {
        self.events.add(events.len() as u64)?;
        self.event_bytes.add(events.iter().map(Weight::weight).sum())
    }

    /// Whether no tick has passed since the guest last waited or began.
    pub(super) fn is_fresh(&self) -> bool {
        self.cpu.is_fresh()
    }

    /// The engine saw a tick pass while the guest computed. The host's calls are looked at again, since those of WASI
    /// can't be refused where they are counted.
    pub(super) fn tick(&mut self) -> Result<(), LimitHit> {
        self.cpu.tick()?;
        self.host_calls.check()
    }

    /// Waits for what the host does for the guest: own time, and no computing.
    pub(super) async fn waiting<T>(&mut self, wait: impl Future<Output = T>) -> T {
        let result = wait.await;
        self.cpu.waited();
        result
    }

    /// Waits while somebody else is busy, so that the time counts neither as own nor as computing.
    pub(super) async fn outside<T>(&mut self, wait: impl Future<Output = T>) -> T {
        self.own_time.leave();
        let result = wait.await;
        self.own_time.resume();
        self.cpu.waited();
        result
    }
}
