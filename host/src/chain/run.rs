//! A run whose events the layer reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;
use crate::event::{Event, EventKinds};

use super::hook::Hook;
use super::inlet::Inlet;
use super::sink::{Author, Item, Sink};
use super::task::{Ending, Task};

/// A started run, as those that come after it know it.
#[derive(Debug)]
pub(super) struct OpenRun {
    ending: Ending,
    over: Arc<AtomicBool>,
}

impl OpenRun {
    /// Ends the run, and waits until nothing of it goes on.
    pub(super) async fn end(self) {
        self.over.store(true, Ordering::SeqCst);
        self.ending.end().await;
    }
}

/// A started run. Dropping it cancels what runs inside.
///
/// A call of [`Run::next`] or [`Run::finish`] that is given up midway may lose the event that was just passing by.
pub struct Run<H: Hook> {
    state: State<H>,
    events: Option<Inlet>,
    out: Sink,
    /// The layer that reads.
    author: Arc<Author>,
    /// Whether a later run has taken the place of this one.
    over: Arc<AtomicBool>,
}

enum State<H: Hook> {
    Running(Task<H::Response>),
    Parked(H::Response),
    Finished,
}

impl<H: Hook> std::fmt::Debug for Run<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("hook", &H::KIND).finish_non_exhaustive()
    }
}

impl<H: Hook> Run<H> {
    /// A run, and the way to end it for a later one.
    pub(super) fn new(
        inner: impl Future<Output = Result<H::Response, Error>> + Send + 'static,
        events: Inlet,
        out: Sink,
        author: Arc<Author>,
    ) -> (Self, OpenRun) {
        let (task, ending) = Task::spawn("a part of the host", inner);
        let over = Arc::new(AtomicBool::new(false));
        let open = OpenRun { ending, over: Arc::clone(&over) };
        (Self { state: State::Running(task), events: Some(events), out, author, over }, open)
    }

    pub(super) fn parked(response: H::Response, out: Sink, author: Arc<Author>) -> Self {
        Self { state: State::Parked(response), events: None, out, author, over: Arc::default() }
    }

    /// The next 1 to 64 ready events of these kinds, waiting for the first; empty at the end.
    ///
    /// Other events pass by in order. One that came after an event of this batch waits until the layer asks for
    /// more, so that it can't overtake what the layer makes of the batch.
    ///
    /// # Errors
    /// `aborted` when nobody reads outside any more.
    pub async fn next(&mut self, kinds: EventKinds) -> Result<Vec<Event>, Error> {
        self.drop_if_over();
        let wanted = |item: &Item| matches!(item, Item::Event(event, _) if kinds.contains(event.kind()));
        let mut batch = Vec::new();
        while let Some(events) = &mut self.events
            && events.wait().await
        {
            while let Some(Item::Event(event, _)) = events.pop_if(wanted) {
                batch.push(event);
            }
            if !batch.is_empty() {
                break;
            }
            if let Some(item) = events.pop() {
                self.pass(item).await?;
            }
        }
        self.author.give(&batch);
        Ok(batch)
    }

    /// The response. Events that were not read pass by.
    ///
    /// # Errors
    /// What is inside answers; `invalid-input` when called again, or when a later run has ended this one.
    pub async fn finish(&mut self) -> Result<H::Response, Error> {
        self.drop_if_over();
        while let Some(events) = &mut self.events
            && let Some(item) = events.next().await
        {
            self.pass(item).await?;
        }
        match std::mem::replace(&mut self.state, State::Finished) {
            State::Running(task) => task.await,
            State::Parked(response) => Ok(response),
            State::Finished if self.over.load(Ordering::SeqCst) => {
                Err(Error::invalid("a later run of `next` has ended this one"))
            }
            State::Finished => Err(Error::invalid("`finish` was called before on this run")),
        }
    }

    /// Gives nothing more of a run in whose place there is a later one.
    fn drop_if_over(&mut self) {
        if self.over.load(Ordering::SeqCst) {
            (self.state, self.events) = (State::Finished, None);
        }
    }

    async fn pass(&self, item: Item) -> Result<(), Error> {
        match item {
            Item::Event(event, _) => self.out.send(event).await,
            Item::Barrier(arrived) => {
                self.out.flush().await?;
                // The one who waits may have given up; that is its affair.
                let _ = arrived.send(());
                Ok(())
            }
        }
    }
}
