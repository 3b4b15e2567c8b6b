//! What a layer measures during one reply.

use crate::error::Error;
use crate::policy::Limits;

use super::share::Share;

/// What a record counts besides its texts, so that many empty ones are not free.
const RECORD_BYTES: usize = 64;

/// The spans and counts that a layer may still send.
#[derive(Debug)]
pub(in crate::sandbox) struct TelemetryBudget {
    records: Share,
    bytes: Share,
}

impl TelemetryBudget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            records: Share::new("telemetry-records", "", limits.telemetry_records.into()),
            bytes: Share::new("telemetry-bytes", " bytes", limits.telemetry_bytes),
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
