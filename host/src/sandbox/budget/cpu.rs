//! Computing time, in ticks of the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::limit_hit::LimitHit;

/// How often the engine looks whether a guest has computed too long.
pub(in crate::sandbox) const TICK: Duration = Duration::from_millis(1);

/// A tick that was waited for may be seen late. More than this at once was not the guest's computing.
const TICKS_AT_ONCE: u64 = 2;

/// Counts the engine's ticks since the host began.
#[derive(Clone, Debug, Default)]
pub(in crate::sandbox) struct Ticks(Arc<AtomicU64>);

impl Ticks {
    pub(in crate::sandbox) fn advance(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Computing time of the running hook call.
#[derive(Debug)]
pub(super) struct CpuBudget {
    ticks: Ticks,
    used: u64,
    allowed: u64,
    /// The tick up to which time is accounted for.
    seen: u64,
    /// How long the guest waited for the host.
    waits: Duration,
}

impl CpuBudget {
    pub(super) fn new(ticks: Ticks, allowed: Duration) -> Self {
        let allowed = u64::try_from(allowed.as_millis() / TICK.as_millis()).unwrap_or(u64::MAX);
        let seen = ticks.now();
        Self { ticks, used: 0, allowed, seen, waits: Duration::ZERO }
    }

    /// A new hook call begins.
    pub(super) fn begin(&mut self) {
        self.used = 0;
        self.waits = Duration::ZERO;
        self.seen = self.ticks.now();
    }

    /// The guest goes on after it waited so long in its own time: that was not computing.
    pub(super) fn waited(&mut self, wait: Duration) {
        self.waits += wait;
        self.seen = self.ticks.now();
    }

    /// How long the guest computed, of its own time. The clock is exact for what is short; the ticks bound what is
    /// long, since the clock goes on while others have the processor.
    pub(super) fn spent(&self, own: Duration) -> Duration {
        let ticks = u32::try_from(self.used).unwrap_or(u32::MAX).saturating_add(1);
        own.saturating_sub(self.waits).min(TICK * ticks)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_not_computing() {
        let ticks = Ticks::default();
        let mut cpu = CpuBudget::new(ticks.clone(), Duration::from_millis(3));
        for _ in 0..50 {
            (0..20).for_each(|_| ticks.advance());
            cpu.waited(Duration::from_millis(20));
            cpu.tick().unwrap();
        }
        (0..3).for_each(|_| {
            ticks.advance();
            cpu.tick().unwrap();
        });
        assert_eq!(cpu.spent(Duration::from_millis(1_000)), Duration::ZERO);
        assert_eq!(cpu.spent(Duration::from_millis(1_003)), Duration::from_millis(3));
        assert_eq!(cpu.spent(Duration::from_millis(1_900)), Duration::from_millis(4), "others were busy");
        ticks.advance();
        assert_eq!(cpu.tick().unwrap_err().limit, "cpu");
    }
}
