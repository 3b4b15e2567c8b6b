//! How a layer runs what is inside it.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::{Error, ErrorKind, Failure};
use crate::event::Event;

use super::branch::Branch;
use super::call::{HookCall, enter};
use super::drive::drive;
use super::hook::{Held, Hook, Withdraw};
use super::ledger::LayerLine;
use super::run::{OpenRun, Run};
use super::sink::{Author, Sink};

/// Runs everything inside a layer: 0 to n times, n bounded by the layer's limit.
///
/// A run that follows another first withdraws what the earlier one had streamed. Where runs share what they change
/// ([`Hook::ALONE`]), it ends an earlier one that is still open.
pub struct Next<H: Hook> {
    call: Arc<HookCall<H>>,
    place: usize,
    branch: Branch,
    out: Sink,
    /// The layer whose way inward this is.
    author: Arc<Author>,
    hop: Arc<Hop<H>>,
    runs: u32,
    runs_max: u32,
    /// What had begun outside when the layer was entered.
    mark: usize,
}

impl<H: Hook> std::fmt::Debug for Next<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Next")
            .field("hook", &H::KIND)
            .field("place", &self.place)
            .field("runs", &self.runs)
            .finish()
    }
}

impl<H: Hook> Next<H> {
    pub(super) fn new(
        call: Arc<HookCall<H>>,
        place: usize,
        branch: Branch,
        out: Sink,
        author: Arc<Author>,
        hop: Arc<Hop<H>>,
        runs_max: u32,
    ) -> Self {
        let mark = out.mark();
        Self { call, place, branch, out, author, hop, runs: 0, runs_max, mark }
    }

    /// Runs what is inside and passes its events on.
    ///
    /// # Errors
    /// What is inside answers; `limit` past the allowed number of runs.
    pub async fn run(&mut self, request: H::Request) -> Result<H::Response, Error> {
        if let Some(parked) = self.begin(&request).await? {
            return Ok(parked);
        }
        let inner = enter(Arc::clone(&self.call), self.place, self.branch.clone(), request, self.out.clone());
        let result = drive(inner, &self.branch, self.place).await;
        self.hop.finished(&result);
        result
    }

    /// Starts what is inside and gives its events to the layer.
    ///
    /// # Errors
    /// `limit` past the allowed number of runs.
    pub async fn start(&mut self, request: H::Request) -> Result<Run<H>, Error> {
        if let Some(parked) = self.begin(&request).await? {
            return Ok(Run::parked(parked, self.out.clone(), Arc::clone(&self.author)));
        }
        let (sink, events) = Sink::channel();
        let branch = Branch::default();
        let inner = enter(Arc::clone(&self.call), self.place, branch.clone(), request, sink.clone());
        let hop = Arc::clone(&self.hop);
        let noted = async move {
            let result = branch.run(inner).await;
            hop.finished(&result);
            // The layer sees the end of the stream only when the result is noted: what it breaks then changes nothing.
            drop(sink);
            result
        };
        let (run, open) = Run::new(noted, events, self.out.clone(), Arc::clone(&self.author));
        if H::ALONE {
            self.hop.turn().open = Some(open);
        }
        Ok(run)
    }

    /// Counts the run, and withdraws what an earlier one had streamed. Gives the parked answer if there is one.
    async fn begin(&mut self, request: &H::Request) -> Result<Option<H::Response>, Error> {
        if self.call.context.cancel.is_cancelled() {
            return Err(Error::aborted());
        }
        if let Some(parked) = self.call.parked() {
            return Ok(Some(parked));
        }
        if self.runs >= self.runs_max {
            return Err(Error::limit("next-runs", self.runs_max, self.runs.saturating_add(1)));
        }
        self.hop.end_open().await;
        if self.runs > 0 {
            withdraw::<H>(&self.out, self.mark, request).await?;
        }
        self.runs += 1;
        self.hop.begun(request);
        Ok(None)
    }
}

/// Withdraws what had begun outside since the mark, before what is inside is run again for this request.
pub(super) async fn withdraw<H: Hook>(out: &Sink, mark: usize, request: &H::Request) -> Result<(), Error> {
    let void = match H::withdraw(request) {
        Withdraw::Nothing => Vec::new(),
        Withdraw::All => out.begun_since(mark),
        Withdraw::Call(id) if out.has_begun(id) => vec![id.to_owned()],
        Withdraw::Call(_) => Vec::new(),
    };
    for id in void {
        out.send(Event::Withdrawn { id }).await?;
    }
    Ok(())
}

/// What is remembered of one layer's turn: for skipping it after a fault, and for the ledger.
pub(super) struct Hop<H: Hook> {
    request: Option<H::Request>,
    turn: Mutex<Turn<H>>,
}

struct Turn<H: Hook> {
    runs: u64,
    changed_requests: u64,
    /// The kinds of the errors that runs came to.
    told: Vec<ErrorKind>,
    /// What the last run came to; absent while it runs, or when it was cut off.
    last: Option<Result<H::Response, Error>>,
    /// The last run that was started, where there may be but one at a time.
    open: Option<OpenRun>,
}

impl<H: Hook> Hop<H> {
    /// Remembers only when `keep` says that someone will ask.
    pub(super) fn new(keep: bool, request: &H::Request) -> Self {
        let turn = Turn { runs: 0, changed_requests: 0, told: Vec::new(), last: None, open: None };
        Self { request: keep.then(|| request.clone()), turn: Mutex::new(turn) }
    }

    fn begun(&self, request: &H::Request) {
        let Some(before) = &self.request else { return };
        let mut turn = self.turn();
        turn.runs += 1;
        turn.last = None;
        turn.changed_requests += u64::from(!H::same_request(before, request));
    }

    /// Notes what a run came to.
    pub(super) fn finished(&self, result: &Result<H::Response, Error>) {
        if let Err(error) = result {
            self.turn().told.push(error.kind);
        }
        if self.request.is_some() {
            self.turn().last = Some(result.clone());
        }
    }

    /// Ends the run that is open, if there is one.
    pub(super) async fn end_open(&self) {
        let open = self.turn().open.take();
        if let Some(open) = open {
            open.end().await;
        }
    }

    /// Whether what is inside answered an error of this kind.
    pub(super) fn saw(&self, kind: ErrorKind) -> bool {
        self.turn().told.contains(&kind)
    }

    /// What the last run came to.
    pub(super) fn last(&self) -> Option<Result<H::Response, Error>> {
        self.turn().last.clone()
    }

    /// What holds in place of this answer of a layer without the grant for it.
    pub(super) fn held(&self, response: &H::Response) -> Option<Held<H::Response>> {
        H::held(self.request.as_ref()?, self.last(), response)
    }

    /// Whether a run has begun of which nothing came.
    pub(super) fn was_cut_off(&self) -> bool {
        let turn = self.turn();
        turn.runs > 0 && turn.last.is_none()
    }

    /// Adds this turn to the layer's line.
    pub(super) fn report(&self, line: &mut LayerLine, result: &Result<H::Response, Failure>) {
        let turn = self.turn();
        line.runs += turn.runs;
        line.changed_requests += turn.changed_requests;
        let changed = match (result, &turn.last) {
            (Ok(after), Some(Ok(before))) => !H::same_response(before, after),
            (Ok(_), _) => true,
            (Err(_), _) => false,
        };
        line.changed_responses += u64::from(changed);
        let own = match (result, &turn.last) {
            (Err(Failure::Error(error)), Some(Err(inner))) => error != inner,
            (Err(_), _) => true,
            (Ok(_), _) => false,
        };
        line.failures += u64::from(own);
    }

    fn turn(&self) -> parking_lot::MutexGuard<'_, Turn<H>> {
        self.turn.lock()
    }
}
