//! Where events go outward.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{mpsc, oneshot};

use crate::error::Error;
use crate::event::Event;
use crate::message::Usage;

use super::handed::{Handed, is_hosts};
use super::inlet::Inlet;
use super::ledger::Ledger;
use super::meter::Meter;

/// How many events wait between two layers before the inner one waits. Bounds the memory of a stream.
pub(crate) const CHANNEL_EVENTS: usize = 64;

/// What travels through a stream: events, and barriers that tell when all before them has arrived.
#[derive(Debug)]
pub(super) enum Item {
    /// An event, and its number among those of the reply where these are counted.
    Event(Event, u64),
    Barrier(oneshot::Sender<()>),
}

/// Takes events outward, in order, waiting while the outer side is busy.
#[derive(Clone, Debug)]
pub struct Sink {
    way: Arc<Inner>,
    /// The layer that sends; absent where the host does.
    author: Option<Arc<Author>>,
}

/// A layer that sends, during one hook call.
#[derive(Debug)]
pub(super) struct Author {
    handed: Mutex<Handed>,
    /// What had begun outside when the layer was entered.
    mark: usize,
}

impl Author {
    /// The layer is given these events.
    pub(super) fn give(&self, events: &[Event]) {
        if events.iter().any(is_hosts) {
            let mut handed = self.handed();
            events.iter().for_each(|event| handed.give(event));
        }
    }

    /// Whether the layer may send this. What it has let out itself it may take back.
    fn check(&self, event: &Event, way: &Inner) -> Result<(), Error> {
        if !is_hosts(event) {
            return Ok(());
        }
        let admitted = self.handed().admit(event);
        match event {
            Event::Withdrawn { id } if way.begun().iter().skip(self.mark).any(|begun| begun == id) => Ok(()),
            _ => admitted,
        }
    }

    fn handed(&self) -> MutexGuard<'_, Handed> {
        self.handed.lock()
    }
}

#[derive(Debug)]
struct Inner {
    /// Absent where events are of no interest.
    out: Option<mpsc::Sender<Item>>,
    /// Ids of the model calls and tool results whose start has gone out and was not withdrawn.
    begun: Mutex<Vec<String>>,
    /// The sink of what is around, where the same has begun as well.
    around: Option<Arc<Inner>>,
    /// Each drops the events that it does not let through.
    gates: Vec<Gate>,
    /// Where a model call says what it costs.
    meter: Option<Meter>,
    /// Counts the events where notes are put in order with them.
    ledger: Option<Arc<Ledger>>,
}

impl Inner {
    fn plain(out: Option<mpsc::Sender<Item>>) -> Self {
        Self { out, begun: Mutex::default(), around: None, gates: Vec::new(), meter: None, ledger: None }
    }

    fn begun(&self) -> MutexGuard<'_, Vec<String>> {
        self.begun.lock()
    }

    /// Notes what this event begins or takes back, here and around.
    fn note(&self, event: &Event) {
        match event {
            Event::ModelCallStart { id, .. } | Event::ToolResultStart { call_id: id, .. } => {
                self.each(|way| way.begun().push(id.clone()));
            }
            Event::Withdrawn { id } => self.each(|way| way.begun().retain(|begun| begun != id)),
            _ => {}
        }
    }

    fn each(&self, change: impl Fn(&Self)) {
        let mut way = Some(self);
        while let Some(here) = way {
            change(here);
            way = here.around.as_deref();
        }
    }
}

/// Says which events pass.
#[derive(Clone)]
struct Gate(Arc<dyn Fn(&Event) -> bool + Send + Sync>);

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gate")
    }
}

impl Sink {
    /// A sink and the stream it feeds.
    pub(super) fn channel() -> (Self, Inlet) {
        let (out, items) = mpsc::channel(CHANNEL_EVENTS);
        (Self::of(Inner::plain(Some(out))), Inlet::new(items))
    }

    /// The same, and the ledger counts what is sent.
    pub(super) fn counted(ledger: &Arc<Ledger>) -> (Self, Inlet) {
        let (out, items) = mpsc::channel(CHANNEL_EVENTS);
        let inner = Inner { ledger: Some(Arc::clone(ledger)), ..Inner::plain(Some(out)) };
        (Self::of(inner), Inlet::new(items))
    }

    /// A sink and its outer end, for programs that stand outside any chain.
    pub fn stream() -> (Self, EventStream) {
        let (sink, items) = Self::channel();
        (sink, EventStream(items))
    }

    /// A sink that drops everything, for internal model calls.
    pub fn discard() -> Self {
        Self::of(Inner::plain(None))
    }

    /// A sink into the same stream for someone who may send only some of the events that may be sent here; others are
    /// dropped.
    #[must_use]
    pub fn gated(&self, gate: impl Fn(&Event) -> bool + Send + Sync + 'static) -> Self {
        let mut inner = self.same_way();
        inner.gates.push(Gate(Arc::new(gate)));
        Self { way: Arc::new(inner), author: self.author.clone() }
    }

    /// A sink into the same stream for a model call, which tells this meter what it costs.
    #[must_use]
    pub fn metered(&self, meter: Meter) -> Self {
        let way = Arc::new(Inner { meter: Some(meter), ..self.same_way() });
        Self { way, author: self.author.clone() }
    }

    /// The same sink for one call of a hook, which counts as begun only what begins in that call: others may run beside
    /// it, and what they have begun is not its to take back.
    pub(super) fn for_call(&self) -> Self {
        Self { way: Arc::new(self.same_way()), author: self.author.clone() }
    }

    fn of(way: Inner) -> Self {
        Self { way: Arc::new(way), author: None }
    }

    /// The same sink in the hands of a layer, which may send only what is its to say.
    pub(super) fn for_layer(&self) -> (Self, Arc<Author>) {
        let author = Arc::new(Author { handed: Mutex::default(), mark: self.mark() });
        (Self { way: Arc::clone(&self.way), author: Some(Arc::clone(&author)) }, author)
    }

    /// The inside of a sink that leads where this one does.
    fn same_way(&self) -> Inner {
        Inner {
            gates: self.way.gates.clone(),
            meter: self.way.meter.clone(),
            ledger: self.way.ledger.clone(),
            around: Some(Arc::clone(&self.way)),
            ..Inner::plain(self.way.out.clone())
        }
    }

    /// Says how many tokens the model call has cost so far, in the place of what was said before. No event tells of
    /// it: it counts when the call fails or is aborted, and so gives no response.
    pub fn spent(&self, usage: &Usage) {
        if let Some(meter) = &self.way.meter {
            meter.set(usage);
        }
    }

    /// Sends one event.
    ///
    /// # Errors
    /// `aborted` when nobody reads any more; `invalid-input` when a layer sends what is the host's to say.
    pub async fn send(&self, event: Event) -> Result<(), Error> {
        if !self.way.gates.iter().all(|gate| (gate.0)(&event)) {
            return Ok(());
        }
        if let Some(author) = &self.author {
            author.check(&event, &self.way)?;
        }
        let Some(out) = &self.way.out else { return Ok(()) };
        self.way.note(&event);
        let number = self.way.ledger.as_ref().map_or(0, |ledger| ledger.count_event());
        // Most sends find room: only a full stream costs a wait.
        match out.try_send(Item::Event(event, number)) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Full(item)) => out.send(item).await.map_err(|_| Error::aborted()),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(Error::aborted()),
        }
    }

    /// Sends several events in order, up to the first that may not be sent.
    ///
    /// # Errors
    /// As for [`Sink::send`].
    pub async fn emit(&self, events: Vec<Event>) -> Result<(), Error> {
        for event in events {
            self.send(event).await?;
        }
        Ok(())
    }

    /// Waits until everything sent so far has gone through.
    ///
    /// # Errors
    /// `aborted` when nobody reads any more.
    pub async fn flush(&self) -> Result<(), Error> {
        let Some(out) = &self.way.out else { return Ok(()) };
        let (arrived, wait) = oneshot::channel();
        out.send(Item::Barrier(arrived)).await.map_err(|_| Error::aborted())?;
        wait.await.map_err(|_| Error::aborted())
    }

    /// Whether nobody reads any more.
    pub(super) fn is_closed(&self) -> bool {
        self.way.out.as_ref().is_some_and(mpsc::Sender::is_closed)
    }

    /// Whether the start of this model call or tool result has gone out here and still holds.
    pub fn has_begun(&self, id: &str) -> bool {
        self.way.begun().iter().any(|begun| begun == id)
    }

    /// How many starts hold, as a mark for [`Sink::begun_since`].
    pub(super) fn mark(&self) -> usize {
        self.way.begun().len()
    }

    /// The ids whose starts have gone out since the mark and still hold.
    pub(super) fn begun_since(&self, mark: usize) -> Vec<String> {
        self.way.begun().iter().skip(mark).cloned().collect()
    }
}

/// The outer end of a [`Sink`]. Dropping it makes the sink's next send fail as `aborted`.
#[derive(Debug)]
pub struct EventStream(Inlet);

impl EventStream {
    /// The next event in order; `None` once every clone of the sink is gone. May be cancelled.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            match self.0.next().await? {
                Item::Event(event, _) => return Some(event),
                // Nobody waiting for the barrier is fine: the flush was cancelled.
                Item::Barrier(arrived) => drop(arrived.send(())),
            }
        }
    }
}
