//! The checks, one file each.

mod abort;
mod errors;
mod host_errors;
mod instances;
mod limits;
mod loads;
mod replay;
mod streaming;
mod swap;
mod transcripts;

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::finding::{Finding, Findings, Judged, Outcome, Said, Verdict};
use super::kit::Kit;

/// One thing that a component is checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// It loads, its configuration fits, and it lets a plain reply through.
    Loads,
    /// What happens in a reply is what is written down, or the same twice.
    Transcripts,
    /// It gives the same for a model's answer in whatever pieces it comes.
    Streaming,
    /// Any call of the host may fail: it breaks nothing.
    HostErrors,
    /// An abort at any event or call of the host ends the reply in good order.
    Abort,
    /// Heavy replies stay within its limits.
    Limits,
    /// What fails or waits inside it is passed on or dealt with.
    Errors,
    /// A swap in the middle of a session changes nothing.
    Swap,
    /// It keeps nothing in its own memory from one hook call to the next.
    Instances,
    /// What it saw, replayed, has it do the same.
    Replay,
}

/// How long one check may take: far longer than it needs, so that a component that hangs can't hang the kit.
const DEADLINE: Duration = Duration::from_secs(90);

impl Check {
    /// All checks, in the order of the report.
    pub const ALL: [Self; 10] = [
        Self::Loads,
        Self::Transcripts,
        Self::Streaming,
        Self::HostErrors,
        Self::Abort,
        Self::Limits,
        Self::Errors,
        Self::Swap,
        Self::Instances,
        Self::Replay,
    ];

    /// Its name in the report and in arguments.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loads => "loads",
            Self::Transcripts => "transcripts",
            Self::Streaming => "streaming",
            Self::HostErrors => "host-errors",
            Self::Abort => "abort",
            Self::Limits => "limits",
            Self::Errors => "errors",
            Self::Swap => "swap",
            Self::Instances => "instances",
            Self::Replay => "replay",
        }
    }

    /// The check of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }

    /// Judges a component, within a deadline.
    pub(super) async fn judge(self, kit: &Kit) -> Judged {
        let late = || {
            let what = format!("the check was not done after {} seconds", DEADLINE.as_secs());
            Err(Finding::new(what).seen("a reply hangs, or each takes long").into())
        };
        let said = tokio::time::timeout(DEADLINE, self.run(kit)).await.unwrap_or_else(|_| late());
        match said {
            Ok(Said::Pass(said, notes)) => {
                Judged { check: self, verdict: Verdict::Pass, said, findings: Vec::new(), notes }
            }
            Ok(Said::Idle(why)) => Judged::idle(self, why),
            Err(Findings(findings)) => Judged::failed(self, findings),
        }
    }

    async fn run(self, kit: &Kit) -> Outcome {
        match self {
            Self::Loads => loads::check(kit).await,
            Self::Transcripts => transcripts::check(kit).await,
            Self::Streaming => streaming::check(kit).await,
            Self::HostErrors => host_errors::check(kit).await,
            Self::Abort => abort::check(kit).await,
            Self::Limits => limits::check(kit).await,
            Self::Errors => errors::check(kit).await,
            Self::Swap => swap::check(kit).await,
            Self::Instances => instances::check(kit).await,
            Self::Replay => replay::check(kit).await,
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
