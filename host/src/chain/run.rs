//! A run whose events the layer reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use crate::error::Error;
use crate::event::{Event, EventKinds};

use super::drive::{Ending, Task};
use super::hook::Hook;
use super::next::Hop;
use super::sink::{Author, CHANNEL_EVENTS, Item, Sink};

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
pub struct Run<H: Hook> {
    state: State<H>,
    events: Option<mpsc::Receiver<Item>>,
    /// Read from the stream, and not yet handed over: it waits for the layer to ask again.
    held: Option<Item>,
    out: Sink,
    /// The layer that reads.
    author: Arc<Author>,
    /// Whether a later run has taken the place of this one.
    over: Arc<AtomicBool>,
}

enum State<H: Hook> {
    Running { task: Task<H::Response>, hop: Arc<Hop<H>> },
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
        events: mpsc::Receiver<Item>,
        out: Sink,
        author: Arc<Author>,
        hop: Arc<Hop<H>>,
    ) -> (Self, OpenRun) {
        let (task, ending) = Task::spawn(inner);
        let over = Arc::new(AtomicBool::new(false));
        let open = OpenRun { ending, over: Arc::clone(&over) };
        let state = State::Running { task, hop };
        (Self { state, events: Some(events), held: None, out, author, over }, open)
    }

    pub(super) fn parked(response: H::Response, out: Sink, author: Arc<Author>) -> Self {
        let state = State::Parked(response);
        Self { state, events: None, held: None, out, author, over: Arc::default() }
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
        let mut batch = Vec::new();
        while batch.len() < CHANNEL_EVENTS {
            let item = match self.held.take() {
                Some(item) => Some(item),
                None => self.receive(!batch.is_empty()).await,
            };
            match item {
                None => break,
                Some(Item::Event(event, _)) if kinds.contains(event.kind()) => batch.push(event),
                Some(item) if batch.is_empty() => self.pass(item).await?,
                Some(item) => {
                    self.held = Some(item);
                    break;
                }
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
        while let Some(item) = match self.held.take() {
            Some(item) => Some(item),
            None => self.receive(false).await,
        } {
            self.pass(item).await?;
        }
        match std::mem::replace(&mut self.state, State::Finished) {
            State::Running { task, hop } => {
                let result = task.await;
                hop.finished(&result);
                result
            }
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
            (self.state, self.events, self.held) = (State::Finished, None, None);
        }
    }

    /// The next item; with `ready` only one that is there already.
    async fn receive(&mut self, ready: bool) -> Option<Item> {
        let events = self.events.as_mut()?;
        if ready { events.try_recv().ok() } else { events.recv().await }
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
