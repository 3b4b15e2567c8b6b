//! What a layer measures during one reply.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::policy::Limits;

/// What a record counts besides its texts, so that many empty ones are not free.
const RECORD_BYTES: usize = 64;

/// The spans and counts that a layer may still send.
#[derive(Debug)]
pub(in crate::sandbox) struct TelemetryBudget {
    records: Share,
    bytes: Share,
}

/// How much of a limit is used.
#[derive(Debug)]
struct Share {
    limit: &'static str,
    unit: &'static str,
    allowed: u64,
    used: AtomicU64,
}

impl TelemetryBudget {
    pub(super) fn new(limits: &Limits) -> Self {
        let share = |limit, unit, allowed| Share { limit, unit, allowed, used: AtomicU64::new(0) };
        Self {
            records: share("telemetry-records", "", limits.telemetry_records.into()),
            bytes: share("telemetry-bytes", " bytes", limits.telemetry_bytes),
        }
    }

    /// Takes a span or a count with texts of so many bytes.
    pub(in crate::sandbox) fn record(&self, bytes: usize) -> Result<(), Error> {
        self.text(bytes + RECORD_BYTES)?;
        self.records.take(1)
    }

    /// Takes more text of a span.
    pub(in crate::sandbox) fn text(&self, bytes: usize) -> Result<(), Error> {
        self.bytes.take(bytes as u64)
    }
}

impl Share {
    /// Takes so much, or nothing if that is too much.
    fn take(&self, more: u64) -> Result<(), Error> {
        let within = |used: u64| used.checked_add(more).filter(|sum| *sum <= self.allowed);
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within);
        taken.map(drop).map_err(|used| {
            let with_unit = |count: u64| format!("{count}{}", self.unit);
            Error::limit(self.limit, with_unit(self.allowed), with_unit(used.saturating_add(more)))
        })
    }
}
