//! Which open calls run, beside each other or one after another, until all have ended or some wait.

use std::sync::Arc;

use futures::StreamExt as _;

use crate::chain::Sink;
use crate::error::Error;
use crate::session::{CallState, OpenCall};

use super::awaits_answer;
use super::turn::Turn;

/// How many calls of one batch run at once: enough to hide waiting, too few to flood a tool's server.
const PARALLEL_MAX: usize = 8;

/// What became of the open calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Acted {
    /// None is open any more.
    Done,
    /// Some wait for a person or a program outside.
    Parked,
}

impl Turn {
    /// Runs what may run of the open calls.
    pub(super) async fn act(self: &Arc<Self>, out: &Sink) -> Result<Acted, Error> {
        loop {
            let open = self.conversation.open();
            let batch = self.batch(&open);
            if batch.is_empty() {
                let waits = open.iter().any(|open| awaits_answer(open.state));
                return Ok(if waits { Acted::Parked } else { Acted::Done });
            }
            let calls = batch.into_iter().map(|open| self.run_call(open, out));
            let results: Vec<Result<(), Error>> =
                futures::stream::iter(calls).buffer_unordered(PARALLEL_MAX).collect().await;
            results.into_iter().collect::<Result<(), Error>>()?;
        }
    }

    /// The calls that run next: one, or an unbroken row of those that may run beside others.
    ///
    /// Once a call waits, only calls that a person confirmed still run.
    fn batch(&self, open: &[OpenCall]) -> Vec<OpenCall> {
        let waits = open.iter().any(|open| awaits_answer(open.state));
        let may_run = |open: &&OpenCall| match open.state {
            CallState::Confirmed => true,
            CallState::Pending => !waits,
            _ => false,
        };
        let mut runnable = open.iter().filter(may_run).peekable();
        let Some(first) = runnable.next() else { return Vec::new() };
        let mut batch = vec![first.clone()];
        if self.is_parallel(first) {
            while let Some(open) = runnable.next_if(|open| self.is_parallel(open)) {
                batch.push(open.clone());
            }
        }
        batch
    }

    /// A call of an unknown tool runs nothing, so that it disturbs nobody.
    fn is_parallel(&self, open: &OpenCall) -> bool {
        self.lineup.tools.get(&open.call.name).is_none_or(|tool| tool.definition().parallel)
    }
}
