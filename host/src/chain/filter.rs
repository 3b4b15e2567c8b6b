//! The end of a reply's stream: through the event filters to the reader, with a tap on either side.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::error::Error;
use crate::event::{Event, EventKinds};
use futures::future::BoxFuture;

use super::call::Chain;
use super::handed::Handed;
use super::inlet::Inlet;
use super::ledger::Ledger;
use super::sink::{CHANNEL_EVENTS, Item, Sink};
use super::slot::Slot;

/// An `on-events` layer and what it asked for.
pub(super) struct EventFilter {
    pub(super) slot: Slot,
    pub(super) kinds: EventKinds,
    /// What it was given and has not passed on.
    handed: Mutex<Handed>,
}

impl EventFilter {
    pub(super) fn new(slot: Slot, kinds: EventKinds) -> Self {
        Self { slot, kinds, handed: Mutex::default() }
    }

    /// The filter is given these events.
    pub(super) fn give(&self, events: &[Event]) {
        let mut handed = self.handed();
        events.iter().for_each(|event| handed.give(event));
    }

    /// What of its answer goes on beside the events that the host puts in their places.
    ///
    /// # Errors
    /// What it may not say: it changed, or made up, what is the host's to tell.
    pub(super) fn own(&self, events: Vec<Event>) -> Result<Vec<Event>, Error> {
        let mut handed = self.handed();
        let mut own = Vec::with_capacity(events.len());
        for event in events.into_iter().filter(|event| event.kind() != EventKinds::REPLY) {
            handed.admit(&event)?;
            if !is_first(&event) && !is_last(&event) {
                own.push(event);
            }
        }
        Ok(own)
    }

    /// The same for events that it was given and that go on without it.
    pub(super) fn unfiltered(&self, events: Vec<Event>) -> Vec<Event> {
        self.handed().pass_all(&events);
        events.into_iter().filter(|event| !is_first(event) && !is_last(event)).collect()
    }

    fn handed(&self) -> MutexGuard<'_, Handed> {
        self.handed.lock()
    }
}

/// Whether a batch begins with this event, and no filter can drop it: what follows belongs to it.
fn is_first(event: &Event) -> bool {
    matches!(event, Event::ReplyStart { .. } | Event::ModelCallStart { .. })
}

/// Whether a batch ends with this event, and no filter can drop it: what came before it has ended, or is void.
fn is_last(event: &Event) -> bool {
    matches!(event, Event::ReplyEnd { .. } | Event::Withdrawn { .. })
}

/// Watches the stream at both ends of the filters, and takes it at the end.
pub trait Tap: Send + 'static {
    /// An event as the chain sent it.
    fn before(&mut self, event: &Event);
    /// An event as it goes out. Waits while the reader is busy; `false` when nobody reads any more.
    fn deliver(&mut self, event: Event) -> BoxFuture<'_, bool>;
    /// Shows the notes that layers made before the event of this number. May be cancelled at any await.
    fn noted(&mut self, event: u64) -> BoxFuture<'_, ()>;
    /// A filter failed, and the reply can't go on.
    fn failed(&mut self, error: Error);
}

impl Chain {
    /// A way for the events of one reply through the filters into this tap: the sink that they are sent to.
    ///
    /// It ends when every clone of the sink is gone.
    ///
    /// # Errors
    /// The error of a filter that could not begin.
    pub async fn carry_to(&self, tap: impl Tap) -> Result<Sink, Error> {
        let filters = self.filters().await?;
        let (sink, items) = Sink::counted(&self.context().ledger);
        tokio::spawn(carry(self.clone(), filters, items, tap));
        Ok(sink)
    }
}

/// Carries what comes to its reader, until there is no more, or nobody to take it. Then whoever still waits at a barrier
/// learns that it was not reached.
async fn carry(chain: Chain, filters: Vec<EventFilter>, mut items: Inlet, mut tap: impl Tap) {
    let ledger = Arc::clone(&chain.context().ledger);
    while beside_notes(&ledger, &mut tap, items.wait()).await {
        let mut events = Vec::with_capacity(CHANNEL_EVENTS);
        let mut barrier = None;
        while let Some(item) = items.pop() {
            match item {
                Item::Event(event, number) => {
                    tap.before(&event);
                    events.push((number, event));
                }
                Item::Barrier(arrived) => {
                    barrier = Some(arrived);
                    break;
                }
            }
        }
        if !hand_over(&chain, &filters, events, &mut tap).await {
            return;
        }
        if let Some(arrived) = barrier {
            // Who waited may have been cancelled.
            let _ = arrived.send(());
        }
    }
}

/// Waits for a future, and has the notes shown that layers make meanwhile.
async fn beside_notes<T>(ledger: &Ledger, tap: &mut impl Tap, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut notes = pin!(show_notes(ledger, tap));
    tokio::select! {
        // What came before a note goes out before it.
        biased;
        done = &mut future => done,
        never = &mut notes => never,
    }
}

/// Has notes shown as they are made, without end.
async fn show_notes<T>(ledger: &Ledger, tap: &mut impl Tap) -> T {
    loop {
        tap.noted(u64::MAX).await;
        ledger.noted().await;
    }
}

/// Passes numbered events through every filter and delivers what comes out. `false` when the stream has ended.
async fn hand_over(
    chain: &Chain,
    filters: &[EventFilter],
    events: Vec<(u64, Event)>,
    tap: &mut impl Tap,
) -> bool {
    if filters.is_empty() {
        for (number, event) in events {
            tap.noted(number).await;
            if !tap.deliver(event).await {
                return false;
            }
        }
        return true;
    }
    let Some((first, _)) = events.first() else { return true };
    tap.noted(*first).await;
    filter_over(chain, filters, events.into_iter().map(|(_, event)| event).collect(), tap).await
}

/// The same where there are filters, which may make other events of them: only the first one's number counts.
async fn filter_over(
    chain: &Chain,
    filters: &[EventFilter],
    mut events: Vec<Event>,
    tap: &mut impl Tap,
) -> bool {
    for filter in filters {
        if events.is_empty() {
            return true;
        }
        events = match beside_notes(&chain.context().ledger, tap, through(chain, filter, events)).await {
            Ok(events) => events,
            Err(error) => {
                tap.failed(error);
                return false;
            }
        };
    }
    for event in events {
        if !tap.deliver(event).await {
            return false;
        }
    }
    true
}

/// Passes each unbroken row of wanted events through the filter, so that order holds among all.
async fn through(chain: &Chain, filter: &EventFilter, events: Vec<Event>) -> Result<Vec<Event>, Error> {
    let mut passed = Vec::with_capacity(events.len());
    let mut wanted = Vec::new();
    for event in events {
        let is_wanted = filter.kinds.contains(event.kind());
        if !wanted.is_empty() && (!is_wanted || is_first(&event)) {
            passed.extend(filtered(chain, filter, std::mem::take(&mut wanted)).await?);
        }
        if !is_wanted {
            passed.push(event);
            continue;
        }
        let last = is_last(&event);
        wanted.push(event);
        if last {
            passed.extend(filtered(chain, filter, std::mem::take(&mut wanted)).await?);
        }
    }
    if !wanted.is_empty() {
        passed.extend(filtered(chain, filter, wanted).await?);
    }
    Ok(passed)
}

/// One call of the filter. What readers rely on, to know what holds, is neither its to drop nor to say: the start and the
/// end of the reply, the start of a model call, and that something is withdrawn.
async fn filtered(chain: &Chain, filter: &EventFilter, events: Vec<Event>) -> Result<Vec<Event>, Error> {
    let first = events.first().filter(|event| is_first(event)).cloned();
    let last = events.last().filter(|event| is_last(event)).cloned();
    let own = chain.filter(filter, events).await?;
    Ok(first.into_iter().chain(own).chain(last).collect())
}
