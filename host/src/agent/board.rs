//! What the running step has shown, before and after the event filters.

use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};

use crate::chain::Tap;
use crate::error::Error;
use crate::event::Event;

use super::assemble::Assembly;
use super::stream::Reader;

/// Both ends of the filters.
#[derive(Debug, Default)]
pub(super) struct Board {
    /// As the chain sent it.
    pub(super) sent: Assembly,
    /// As it went out.
    pub(super) delivered: Assembly,
    /// The id of the message that the step's blocks have become, which may not be stored yet.
    pub(super) settled: Option<String>,
    /// Why the stream could not go on.
    pub(super) failure: Option<Error>,
}

impl Board {
    /// The step has ended: what it has shown is stored or withdrawn.
    pub(super) fn clear_step(&mut self) {
        self.sent.clear_step();
        self.delivered.clear_step();
        self.settled = None;
    }
}

/// A board that the loop and the stream share.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedBoard(Arc<Mutex<Board>>);

impl SharedBoard {
    pub(super) fn lock(&self) -> MutexGuard<'_, Board> {
        self.0.lock()
    }
}

/// Stands at the end of the stream: keeps the board and hands the events to the reader.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) board: SharedBoard,
    pub(super) reader: Arc<Reader>,
}

impl Tap for Watch {
    fn before(&mut self, event: &Event) {
        self.board.lock().sent.feed(event);
    }

    fn deliver(&mut self, event: Event) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            if !self.reader.admits(&event) {
                return true;
            }
            self.board.lock().delivered.feed(&event);
            self.reader.event(event).await
        })
    }

    fn noted(&mut self, event: u64) -> BoxFuture<'_, ()> {
        Box::pin(self.reader.notes_before(event))
    }

    fn failed(&mut self, error: Error) {
        self.board.lock().failure = Some(error);
    }
}
