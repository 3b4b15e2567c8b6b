//! A bound of a layer in one reply, which all its instances draw on.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;

/// How much of a limit is used.
#[derive(Debug)]
pub(super) struct Share {
    limit: &'static str,
    unit: &'static str,
    allowed: u64,
    used: AtomicU64,
}

impl Share {
    /// A share of the limit with this name; `unit` follows its numbers.
    pub(super) fn new(limit: &'static str, unit: &'static str, allowed: u64) -> Self {
        Self { limit, unit, allowed, used: AtomicU64::new(0) }
    }

    /// Takes so much, or nothing if that is too much.
    pub(super) fn take(&self, more: u64) -> Result<(), Error> {
        let within = |used: u64| used.checked_add(more).filter(|sum| *sum <= self.allowed);
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within);
        taken.map(drop).map_err(|used| {
            let with_unit = |count: u64| format!("{count}{}", self.unit);
            Error::limit(self.limit, with_unit(self.allowed), with_unit(used.saturating_add(more)))
        })
    }
}
