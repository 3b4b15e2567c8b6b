//! What the model calls of a reply cost, whatever becomes of them.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::chain::Meter;
use crate::message::Usage;

use super::conversation::Conversation;
use super::turn::Turn;

/// Counts model calls, in the reply's ledger and in the session's, and those of a sub-agent in the outer reply's
/// as well.
///
/// A call is counted when it ends. One that is cut off, by an abort or by a layer that drops its run, does not come to
/// its end; it is counted with what its meter shows when the loop is over.
pub(super) struct Spending {
    conversation: Arc<Conversation>,
    outer: Option<Arc<Turn>>,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    total: Usage,
    running: Vec<Running>,
    /// The ids of the calls that were cut off, with their cost as far as it is known.
    cut_off: Vec<(String, Option<Usage>)>,
}

/// A model call on its way.
struct Running {
    id: String,
    alias: String,
    meter: Meter,
}

impl Spending {
    pub(super) fn new(conversation: Arc<Conversation>, outer: Option<Arc<Turn>>) -> Self {
        Self { conversation, outer, book: Mutex::default() }
    }

    /// Tokens of all model calls so far.
    pub(super) fn total(&self) -> Usage {
        self.book().total.clone()
    }

    /// A model is asked. Gives the meter of this call.
    pub(super) fn begin(&self, id: &str, alias: &str) -> Meter {
        let meter = Meter::default();
        let running = Running { id: id.to_owned(), alias: alias.to_owned(), meter: meter.clone() };
        self.book().running.push(running);
        meter
    }

    /// A model has answered. Without a report of its own, what the meter shows counts.
    pub(super) fn answered(&self, id: &str, usage: Option<&Usage>) {
        if let Some(running) = self.take(id) {
            let usage = usage.cloned().or_else(|| running.meter.read());
            self.count(running.alias, usage.unwrap_or_default());
        }
    }

    /// A model call has failed. Gives what it cost, as far as it is known; a call of which nothing is known is not
    /// counted.
    pub(super) fn failed(&self, id: &str) -> Option<Usage> {
        let running = self.take(id)?;
        let usage = running.meter.read()?;
        self.count(running.alias, usage.clone());
        Some(usage)
    }

    /// The loop is over: what has not ended is cut off.
    pub(super) fn close(&self) {
        let running = std::mem::take(&mut self.book().running);
        for Running { id, alias, meter } in running {
            let usage = meter.read();
            if let Some(usage) = usage.clone() {
                self.count(alias, usage);
            }
            self.book().cut_off.push((id, usage));
        }
    }

    /// What a call that was cut off has cost, as far as it is known.
    pub(super) fn of_cut_off(&self, id: &str) -> Option<Usage> {
        let book = self.book();
        book.cut_off.iter().find(|(known, _)| known == id).and_then(|(_, usage)| usage.clone())
    }

    fn count(&self, alias: String, usage: Usage) {
        self.book().total.add(&usage);
        if let Some(outer) = &self.outer {
            outer.spending.count(alias.clone(), usage.clone());
        }
        self.conversation.spend(alias, usage);
    }

    /// The call, unless it was counted before.
    fn take(&self, id: &str) -> Option<Running> {
        let mut book = self.book();
        let at = book.running.iter().position(|running| running.id == id)?;
        Some(book.running.swap_remove(at))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock()
    }
}
