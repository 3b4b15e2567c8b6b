//! What the caller of a reply holds: its events and notes, its result, and the means to abort it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::chain::{HookKind, LayerLine, Ledger, Note};
use crate::error::Error;
use crate::event::{Event, Outcome};
use crate::message::Usage;
use crate::request::{ReplyResponse, ReplyResponseData};

use super::input::Pending;

/// How many items wait for the reader before the reply does. Bounds the memory of a stream.
const ITEMS: usize = 64;

/// One thing that a reply has to tell, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyItem {
    /// Something happened.
    Event(Event),
    /// A layer did something.
    Note(Note),
}

/// What a reply came to.
#[derive(Clone, Debug)]
pub struct ReplyResult {
    /// How it ended, and the final message as it went out.
    pub response: ReplyResponse,
    /// Its id; the same again when a parked reply is resumed.
    pub reply_id: String,
    /// The calls that wait, when it parked.
    pub pending: Vec<Pending>,
    /// What each layer did at each hook, sorted by layer and hook.
    pub layers: Vec<(String, HookKind, LayerLine)>,
}

/// A running reply. Dropping it aborts the reply, which still ends in good order.
#[derive(Debug)]
pub struct ReplyStream {
    items: mpsc::Receiver<Out>,
    cancel: CancellationToken,
    reply_id: String,
    generation: u64,
    result: Option<ReplyResult>,
}

/// What goes from the reply's task to its caller.
#[derive(Debug)]
enum Out {
    Item(ReplyItem),
    Done(Box<ReplyResult>),
}

impl ReplyStream {
    pub(super) fn new(
        reply_id: String,
        generation: u64,
        cancel: CancellationToken,
        ledger: Arc<Ledger>,
    ) -> (Self, Arc<Reader>) {
        let (to, items) = mpsc::channel(ITEMS);
        let reader = Reader {
            items: to,
            ledger,
            may_start: AtomicBool::new(false),
            may_end: AtomicBool::new(false),
            over: AtomicBool::new(false),
        };
        (Self { items, cancel, reply_id, generation, result: None }, Arc::new(reader))
    }

    /// The reply's id.
    pub fn reply_id(&self) -> &str {
        &self.reply_id
    }

    /// Which generation of layers it has, from its begin to its end.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The next item, waiting for it; `None` at the end. The reply waits while nobody asks.
    pub async fn next(&mut self) -> Option<ReplyItem> {
        match self.items.recv().await? {
            Out::Item(item) => Some(item),
            Out::Done(result) => {
                self.result = Some(*result);
                self.items.close();
                None
            }
        }
    }

    /// Reads on to the end and gives the result.
    pub async fn finish(mut self) -> ReplyResult {
        while self.next().await.is_some() {}
        self.result.take().unwrap_or_else(|| lost(&self.reply_id))
    }

    /// Aborts the reply: what runs is cancelled, and each open call is closed at once.
    pub fn abort(&self) {
        self.cancel.cancel();
    }

    /// The token that aborts the reply, to be held elsewhere.
    pub fn cancellation(&self) -> CancellationToken {
        self.cancel.clone()
    }
}

impl Drop for ReplyStream {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// The result of a reply whose own task broke.
fn lost(reply_id: &str) -> ReplyResult {
    ReplyResult {
        response: ReplyResponse::new(ReplyResponseData {
            outcome: Outcome::Failed,
            message: None,
            structured_output: None,
            error: Some(Error::internal("the task of the reply ended without a result")),
            usage: Usage::default(),
            steps: 0,
        }),
        reply_id: reply_id.to_owned(),
        pending: Vec::new(),
        layers: Vec::new(),
    }
}

/// The task's end of a [`ReplyStream`]. Lets one start and one end of the reply through, whatever layers make up.
#[derive(Debug)]
pub(super) struct Reader {
    items: mpsc::Sender<Out>,
    ledger: Arc<Ledger>,
    may_start: AtomicBool,
    may_end: AtomicBool,
    over: AtomicBool,
}

impl Reader {
    /// Lets the next `reply-start` through.
    pub(super) fn expect_start(&self) {
        self.may_start.store(true, Ordering::SeqCst);
    }

    /// Lets the next `reply-end` through.
    pub(super) fn expect_end(&self) {
        self.may_end.store(true, Ordering::SeqCst);
    }

    /// Whether the `reply-start` that was expected has not come through.
    pub(super) fn lacks_start(&self) -> bool {
        self.may_start.load(Ordering::SeqCst)
    }

    /// Whether the event belongs into the stream. Nothing follows the end.
    pub(super) fn admits(&self, event: &Event) -> bool {
        match event {
            _ if self.over.load(Ordering::SeqCst) => false,
            Event::ReplyStart { .. } => self.may_start.swap(false, Ordering::SeqCst),
            Event::ReplyEnd { .. } => {
                let ends = self.may_end.swap(false, Ordering::SeqCst);
                if ends {
                    self.over.store(true, Ordering::SeqCst);
                }
                ends
            }
            _ => true,
        }
    }

    /// Sends an event; `false` when nobody reads any more.
    pub(super) async fn event(&self, event: Event) -> bool {
        self.items.send(Out::Item(ReplyItem::Event(event))).await.is_ok()
    }

    /// Sends the notes so far.
    pub(super) async fn notes(&self) {
        self.notes_before(u64::MAX).await;
    }

    /// Sends the notes that were made before the event of this number. None is lost when this is cancelled.
    pub(super) async fn notes_before(&self, event: u64) {
        // Without a reader the notes have nowhere to go, and the reply's end is near.
        while self.ledger.has_notes(event)
            && let Ok(place) = self.items.reserve().await
        {
            self.ledger.pass_note(event, |note| place.send(Out::Item(ReplyItem::Note(note))));
        }
    }

    /// Sends the result, which ends the stream.
    pub(super) async fn done(&self, result: ReplyResult) {
        // Nobody may be there to take it.
        let _ = self.items.send(Out::Done(Box::new(result))).await;
    }
}
