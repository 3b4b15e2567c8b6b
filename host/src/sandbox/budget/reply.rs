//! What a layer may still spend in one reply. All its instances share it.

use std::sync::{Arc, OnceLock};

use crate::error::Error;
use crate::http::{Client, Slots};
use crate::policy::Limits;

use super::log::LogBudget;
use super::share::Share;
use super::telemetry::TelemetryBudget;

/// The bounds of a layer in one reply.
#[derive(Debug)]
pub(in crate::sandbox) struct ReplyBudget {
    /// What is printed goes there too.
    pub(in crate::sandbox) log: Arc<LogBudget>,
    pub(in crate::sandbox) telemetry: TelemetryBudget,
    agent_runs: Share,
    /// Room for requests to servers; made with the first one.
    http_slots: OnceLock<Slots>,
}

impl ReplyBudget {
    pub(in crate::sandbox) fn new(limits: &Limits) -> Self {
        Self {
            log: Arc::new(LogBudget::new(limits.log)),
            telemetry: TelemetryBudget::new(limits),
            agent_runs: Share::new("agent-runs", "", limits.agent_runs.into()),
            http_slots: OnceLock::new(),
        }
    }

    /// Room for requests of this client.
    pub(in crate::sandbox) fn http_slots(&self, client: &Client) -> &Slots {
        self.http_slots.get_or_init(|| client.slots())
    }

    /// Takes a run of a sub-agent.
    pub(in crate::sandbox) fn run_agent(&self) -> Result<(), Error> {
        self.agent_runs.take(1)
    }
}
