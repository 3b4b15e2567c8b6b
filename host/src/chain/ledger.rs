//! What each layer did during a reply: counts per hook, and notes in order.

mod note;
mod spent;
mod waiting;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::hook::HookKind;
use waiting::Waiting;

pub use note::{Note, NoteKind};
pub use spent::{LayerLine, Spent};

/// Collects what the layers of a reply did.
#[derive(Debug, Default)]
pub struct Ledger {
    keep: bool,
    book: Mutex<Book>,
    /// Wakes who waits for notes.
    news: Notify,
    /// How many events the reply has sent.
    events: AtomicU64,
}

#[derive(Debug, Default)]
struct Book {
    /// A few: one for each layer and hook.
    lines: Vec<(String, HookKind, LayerLine)>,
    notes: Waiting,
}

impl Book {
    fn line(&mut self, layer: &str, hook: HookKind) -> &mut LayerLine {
        let known = self.lines.iter().position(|(name, kind, _)| *kind == hook && name == layer);
        let at = known.unwrap_or_else(|| {
            self.lines.push((layer.to_owned(), hook, LayerLine::default()));
            self.lines.len() - 1
        });
        &mut self.lines[at].2
    }
}

impl Ledger {
    /// A ledger that keeps what it is told. The default one keeps only notes.
    pub fn keeping() -> Self {
        Self { keep: true, ..Self::default() }
    }

    /// Whether hook calls are to be counted.
    pub(crate) fn keeps(&self) -> bool {
        self.keep
    }

    /// Adds a note. A thousand of a layer and a kind wait to be taken at most; more are counted, which the last note says.
    /// What a layer is denied for the first time is not among them, up to a thousand such in a reply.
    pub fn note(&self, layer: &str, kind: NoteKind) {
        let mut book = self.lock();
        let after = self.events.load(Ordering::SeqCst);
        book.notes.push(after, layer, kind);
        drop(book);
        self.news.notify_one();
    }

    /// Waits until a note was added; for one who waits at a time. The note may have been taken meanwhile.
    pub(crate) async fn noted(&self) {
        self.news.notified().await;
    }

    /// Counts an event of the reply, and gives its number, from 1.
    pub(crate) fn count_event(&self) -> u64 {
        self.events.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Whether there are notes that were made before this event and that nobody has taken.
    pub(crate) fn has_notes(&self, event: u64) -> bool {
        self.lock().notes.has(event)
    }

    /// Hands over the oldest note that was made before this event, if there is one.
    ///
    /// No other note can be taken before `to` returns, so notes that go to one place stay in order.
    pub(crate) fn pass_note(&self, event: u64, to: impl FnOnce(Note)) {
        let mut book = self.lock();
        if book.notes.has(event)
            && let Some(note) = book.notes.next()
        {
            to(note);
        }
    }

    /// Takes the notes since the last time.
    pub fn take_notes(&self) -> Vec<Note> {
        let mut book = self.lock();
        std::iter::from_fn(|| book.notes.next()).collect()
    }

    /// What each layer did at each hook, sorted by layer and hook.
    pub fn lines(&self) -> Vec<(String, HookKind, LayerLine)> {
        let mut lines = self.lock().lines.clone();
        lines.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
        lines
    }

    /// Counts something of a layer at a hook.
    pub(crate) fn count(
        &self,
        layer: &str,
        hook: HookKind,
        spent: Duration,
        change: impl FnOnce(&mut LayerLine),
    ) {
        if !self.keep {
            return;
        }
        let mut book = self.lock();
        let line = book.line(layer, hook);
        line.calls += 1;
        line.micros = line.micros.saturating_add(u64::try_from(spent.as_micros()).unwrap_or(u64::MAX));
        change(line);
    }

    /// Adds what the layers of a sub-agent did in a run.
    pub(crate) fn add(&self, lines: &[(String, HookKind, LayerLine)]) {
        let mut book = self.lock();
        for (layer, hook, line) in lines {
            book.line(layer, *hook).add(line);
        }
    }

    /// Adds what one hook call of a layer spent.
    pub(crate) fn spend(&self, layer: &str, hook: HookKind, spent: &Spent) {
        if self.keep {
            self.lock().line(layer, hook).spent.add(spent);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock()
    }
}
