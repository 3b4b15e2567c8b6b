//! The reading end of a stream of events.

use std::collections::VecDeque;

use tokio::sync::mpsc;

use super::sink::{CHANNEL_EVENTS, Item};

/// Reads a stream. Takes all that is there at once: one by one, each would wake a sender that waits for room.
///
/// What is ready is never asked for without waiting: where a sender is in the middle of sending, the channel would put
/// this thread to sleep until it has sent, and swallow a wake-up that is meant for the runtime on the same thread.
#[derive(Debug)]
pub(super) struct Inlet {
    items: mpsc::Receiver<Item>,
    /// Taken from the stream, the next one first.
    ready: VecDeque<Item>,
    /// Where they are taken to; empty between two reads.
    taken: Vec<Item>,
}

impl Inlet {
    /// The outer end of a sink.
    pub(super) fn new(items: mpsc::Receiver<Item>) -> Self {
        Self { items, ready: VecDeque::new(), taken: Vec::new() }
    }

    /// Waits until something is there; `false` once every clone of the sink is gone and all is read. May be cancelled.
    pub(super) async fn wait(&mut self) -> bool {
        if self.ready.is_empty() {
            self.items.recv_many(&mut self.taken, CHANNEL_EVENTS).await;
            self.ready.extend(self.taken.drain(..));
        }
        !self.ready.is_empty()
    }

    /// The next item of those that are there.
    pub(super) fn pop(&mut self) -> Option<Item> {
        self.ready.pop_front()
    }

    /// The next item of those that are there, if it is like this.
    pub(super) fn pop_if(&mut self, is_wanted: impl FnOnce(&Item) -> bool) -> Option<Item> {
        self.ready.pop_front_if(|item| is_wanted(item))
    }

    /// The next item, waiting for it; `None` at the end. May be cancelled.
    pub(super) async fn next(&mut self) -> Option<Item> {
        self.wait().await;
        self.pop()
    }
}
