//! What a layer may still spend in one reply. All its instances share it.

use std::sync::Arc;

use crate::policy::Limits;

use super::log::LogBudget;
use super::telemetry::TelemetryBudget;

/// The bounds of a layer in one reply.
#[derive(Debug)]
pub(in crate::sandbox) struct ReplyBudget {
    /// What is printed goes there too.
    pub(in crate::sandbox) log: Arc<LogBudget>,
    pub(in crate::sandbox) telemetry: TelemetryBudget,
}

impl ReplyBudget {
    pub(in crate::sandbox) fn new(limits: &Limits) -> Self {
        Self { log: Arc::new(LogBudget::new(limits.log)), telemetry: TelemetryBudget::new(limits) }
    }
}
