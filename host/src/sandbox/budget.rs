//! What an instance may spend in one hook call. Each bound is checked where it is spent.

mod count;
mod cpu;
mod limit_hit;
mod log;
mod memory;
mod own_time;
mod reply;
mod share;
mod telemetry;

use std::future::Future;
use std::time::{Duration, Instant};

use crate::chain::Spent;
use crate::message::Usage;
use crate::policy::Limits;

use super::bindings::cepa::middleware::events::Event;
use super::json_room::parsed_size;
use super::weight::Weight;
use count::Count;
use cpu::CpuBudget;

pub(super) use cpu::{TICK, Ticks};
pub(super) use limit_hit::LimitHit;
pub(super) use log::{Line, LogBudget};
pub(super) use memory::{CORE_INSTANCES_MAX, MEMORIES_MAX, MemoryBudget, TABLES_MAX};
pub(super) use own_time::{OwnTime, within};
pub(super) use reply::ReplyBudget;

/// Bytes that an edit counts besides: an entry without any text takes room as well.
const EDIT_BYTES: u64 = 256;

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
    noted: Noted,
}

/// What has no bound in a hook call, and is noted all the same.
#[derive(Debug, Default)]
struct Noted {
    log_bytes: u64,
    state_bytes: u64,
    internal_tokens: u64,
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
            noted: Noted::default(),
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
        self.noted = Noted::default();
    }

    /// What the hook call has spent so far.
    pub(super) fn spent(&self) -> Spent {
        let own = self.own_time.spent();
        Spent {
            cpu_micros: micros(self.cpu.spent(own)),
            own_micros: micros(own),
            memory_peak: self.memory.bytes(),
            bytes_copied: self.bytes_copied.used(),
            host_calls: self.host_calls.used(),
            events: self.events.used(),
            event_bytes: self.event_bytes.used(),
            log_bytes: self.noted.log_bytes,
            state_bytes: self.noted.state_bytes,
            internal_tokens: self.noted.internal_tokens,
        }
    }

    /// The guest calls the host, with arguments of so many bytes.
    pub(super) fn enter(&mut self, bytes: u64) -> Result<(), LimitHit> {
        self.call()?;
        self.copy(bytes)
    }

    /// The guest calls the host.
    pub(super) fn call(&mut self) -> Result<(), LimitHit> {
        self.host_calls.add(1)
    }

    /// Bytes are copied into or out of the guest, or within the host on its behalf.
    pub(super) fn copy(&mut self, bytes: u64) -> Result<(), LimitHit> {
        self.bytes_copied.add(bytes)
    }

    /// Makes a list ready for the guest, element by element, and ends where the guest may have no more: it is as long as
    /// others made it, so it is not made whole to be counted. It counts when it is handed over.
    pub(super) fn ready<T: Weight>(&self, items: impl IntoIterator<Item = T>) -> Result<Vec<T>, LimitHit> {
        let mut bytes = 0;
        let counted = |item: T| {
            bytes += size_of::<T>() as u64 + item.weight();
            self.bytes_copied.check_with(bytes).map(|()| item)
        };
        items.into_iter().map(counted).collect()
    }

    /// The guest edits something, of which so many bytes are copied first because another handle shares it.
    pub(super) fn edit(&mut self, copied: u64) -> Result<(), LimitHit> {
        self.copy(copied.saturating_add(EDIT_BYTES))
    }

    /// JSON of the guest is about to be parsed.
    pub(super) fn parse(&mut self, json: Option<&str>) -> Result<(), LimitHit> {
        self.copy(json.map_or(0, parsed_size))
    }

    /// The guest sends events.
    pub(super) fn emit(&mut self, events: &[Event]) -> Result<(), LimitHit> {
        self.events.add(events.len() as u64)?;
        self.event_bytes.add(events.iter().map(Weight::weight).sum())
    }

    /// The guest writes to its log.
    pub(super) fn log(&mut self, bytes: u64) {
        self.noted.log_bytes += bytes;
    }

    /// The guest wrote to its state.
    pub(super) fn keep(&mut self, bytes: usize) {
        self.noted.state_bytes += bytes as u64;
    }

    /// A model answered the guest.
    pub(super) fn ask(&mut self, usage: &Usage) {
        let tokens = [usage.input_tokens, usage.output_tokens].into_iter().flatten();
        self.noted.internal_tokens += tokens.map(u64::from).sum::<u64>();
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
        let start = Instant::now();
        let result = wait.await;
        self.cpu.waited(start.elapsed());
        result
    }

    /// Waits while somebody else is busy, so that the time counts neither as own nor as computing.
    pub(super) async fn outside<T>(&mut self, wait: impl Future<Output = T>) -> T {
        self.own_time.leave();
        let result = wait.await;
        self.own_time.resume();
        self.cpu.waited(Duration::ZERO);
        result
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_made_ready_no_further_than_the_guest_may_have_it() {
        let limits = Limits { bytes_copied: 1_000, ..Limits::default() };
        let mut budget = Budget::new(Ticks::default(), &limits);
        let made = std::cell::Cell::new(0);
        let list = |length: u32| {
            (0..length).map(|_| {
                made.set(made.get() + 1);
                "x".repeat(300)
            })
        };
        assert_eq!(budget.ready(list(3)).expect("there is room").len(), 3);
        made.set(0);
        let hit = budget.ready(list(1_000)).expect_err("there is no room");
        let bytes = 4 * (300 + size_of::<String>());
        assert_eq!(
            hit.to_string(),
            format!("limit `bytes-copied` reached: {bytes} bytes of 1000 bytes allowed")
        );
        assert_eq!(made.get(), 4, "the one that is too much is the last");
        budget.copy(1_000).expect("nothing was counted so far");
    }
}
