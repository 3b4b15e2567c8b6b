//! What each layer did during a reply: counts per hook, and notes in order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Notify;

use crate::event::Outcome;
use crate::telemetry::{Count, Source, Span};

use super::hook::HookKind;

/// How many notes are kept until they are taken; more are counted and dropped.
const NOTES_MAX: usize = 10_000;

/// Something a layer did, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Note {
    /// The layer's name.
    pub layer: String,
    /// What it did.
    #[serde(flatten)]
    pub kind: NoteKind,
}

/// What a layer did. Whoever shows notes to the operator handles each kind, so that none is lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum NoteKind {
    /// It wrote a log line.
    #[serde(rename = "layer-log")]
    Log {
        /// `debug`, `info`, `warn` or `error`.
        level: &'static str,
        /// The line.
        message: String,
    },
    /// It broke a rule, and the reply failed for it.
    #[serde(rename = "layer-fault")]
    Fault {
        /// The hook.
        hook: &'static str,
        /// What happened.
        cause: String,
    },
    /// It broke a rule, and the chain went on without it.
    #[serde(rename = "layer-skipped")]
    Skipped {
        /// The hook.
        hook: &'static str,
        /// What happened.
        cause: String,
    },
    /// It broke a rule too often, and is taken out: later replies begin without it.
    #[serde(rename = "layer-taken-out")]
    TakenOut {
        /// The hook.
        hook: &'static str,
        /// How often in a row.
        faults: u32,
        /// What happened the last time.
        cause: String,
    },
    /// It was taken out before this reply began. Where the chain may not go on without it, the reply fails.
    #[serde(rename = "layer-out")]
    Out {
        /// The hook it broke in.
        hook: &'static str,
        /// How often in a row.
        faults: u32,
        /// What happened the last time.
        cause: String,
    },
    /// It ran a tool itself, past the model.
    #[serde(rename = "layer-tool-call")]
    ToolCall {
        /// The tool.
        tool: String,
        /// The state of the result, or why there is none.
        outcome: String,
    },
    /// The swap that brought it was taken back: all its first calls of a hook broke a rule.
    #[serde(rename = "layer-rolled-back")]
    RolledBack {
        /// The hook.
        hook: &'static str,
        /// What happened in the last of these calls.
        cause: String,
        /// The generation of layers that is gone.
        from: u64,
        /// The generation that is back.
        to: u64,
    },
    /// It ran a sub-agent.
    #[serde(rename = "layer-agent-run")]
    AgentRun {
        /// The agent.
        agent: String,
        /// The session of its thread.
        #[serde(rename = "session-id")]
        session_id: String,
        /// How the run ended.
        outcome: Outcome,
    },
    /// It measured what took time.
    #[serde(rename = "layer-span")]
    Span {
        /// Where.
        #[serde(flatten)]
        source: Box<Source>,
        /// What it measured.
        #[serde(flatten)]
        span: Box<Span>,
    },
    /// It added to a counter.
    #[serde(rename = "layer-count")]
    Count {
        /// Where.
        #[serde(flatten)]
        source: Box<Source>,
        /// What it added.
        #[serde(flatten)]
        count: Box<Count>,
    },
    /// It asked for what it was not granted.
    #[serde(rename = "layer-denied")]
    Denied {
        /// The capability.
        capability: &'static str,
        /// What it wanted.
        object: String,
    },
}

/// What one layer spent and changed at one hook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LayerLine {
    /// How often it was entered.
    pub calls: u64,
    /// How often it ran what is inside.
    pub runs: u64,
    /// How often it passed on a changed request.
    pub changed_requests: u64,
    /// How often it answered something else than what was inside.
    pub changed_responses: u64,
    /// How often it answered an error or broke a rule.
    pub failures: u64,
    /// Time in it, what is inside included, in microseconds.
    pub micros: u64,
    /// What it spent.
    #[serde(flatten)]
    pub spent: Spent,
}

impl LayerLine {
    /// Adds what was done in another reply.
    fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.calls, other.calls),
            (&mut self.runs, other.runs),
            (&mut self.changed_requests, other.changed_requests),
            (&mut self.changed_responses, other.changed_responses),
            (&mut self.failures, other.failures),
            (&mut self.micros, other.micros),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.spent.add(&other.spent);
    }
}

/// What a layer spent at a hook, as far as its host measures it: a native layer is not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Spent {
    /// Computing time, in microseconds. Where the machine was busy it may be up to twice too much.
    pub cpu_micros: u64,
    /// Own time, in microseconds: its waits included, and what is inside it excluded.
    pub own_micros: u64,
    /// The largest memory of its instances, in bytes.
    pub memory_peak: u64,
    /// Bytes copied into and out of it.
    pub bytes_copied: u64,
    /// Calls of the host.
    pub host_calls: u64,
    /// Events it sent, those that passed it by not included.
    pub events: u64,
    /// Bytes of these events.
    pub event_bytes: u64,
    /// Bytes of its log, those past the limit included.
    pub log_bytes: u64,
    /// Bytes of keys and values it wrote to its state.
    pub state_bytes: u64,
    /// Tokens, in and out, of the model calls it made for itself.
    pub internal_tokens: u64,
}

impl Spent {
    /// Adds another hook call.
    pub fn add(&mut self, other: &Self) {
        self.memory_peak = self.memory_peak.max(other.memory_peak);
        for (sum, more) in [
            (&mut self.cpu_micros, other.cpu_micros),
            (&mut self.own_micros, other.own_micros),
            (&mut self.bytes_copied, other.bytes_copied),
            (&mut self.host_calls, other.host_calls),
            (&mut self.events, other.events),
            (&mut self.event_bytes, other.event_bytes),
            (&mut self.log_bytes, other.log_bytes),
            (&mut self.state_bytes, other.state_bytes),
            (&mut self.internal_tokens, other.internal_tokens),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

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
    /// Notes, each with the number of the last event before it.
    notes: VecDeque<(u64, Note)>,
    dropped: u64,
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

    /// Whether there is a note that was made before this event.
    fn has_note(&self, event: u64) -> bool {
        self.notes.front().map_or(self.dropped > 0, |(after, _)| *after < event)
    }

    /// The oldest note; behind the last one, a remark on those that were dropped.
    fn next_note(&mut self) -> Option<Note> {
        if let Some((_, note)) = self.notes.pop_front() {
            return Some(note);
        }
        match std::mem::take(&mut self.dropped) {
            0 => None,
            dropped => {
                let message = format!("{dropped} more notes were dropped");
                Some(Note { layer: String::new(), kind: NoteKind::Log { level: "warn", message } })
            }
        }
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

    /// Adds a note.
    pub fn note(&self, layer: &str, kind: NoteKind) {
        let mut book = self.lock();
        if book.notes.len() < NOTES_MAX {
            let after = self.events.load(Ordering::SeqCst);
            book.notes.push_back((after, Note { layer: layer.to_owned(), kind }));
        } else {
            book.dropped += 1;
        }
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
        self.lock().has_note(event)
    }

    /// Hands over the oldest note that was made before this event, if there is one.
    ///
    /// No other note can be taken before `to` returns, so notes that go to one place stay in order.
    pub(crate) fn pass_note(&self, event: u64, to: impl FnOnce(Note)) {
        let mut book = self.lock();
        if book.has_note(event)
            && let Some(note) = book.next_note()
        {
            to(note);
        }
    }

    /// Takes the notes since the last time.
    pub fn take_notes(&self) -> Vec<Note> {
        let mut book = self.lock();
        std::iter::from_fn(|| book.next_note()).collect()
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
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
