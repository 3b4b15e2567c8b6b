//! The session during one reply: read from memory, and every change written to the store before it holds.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

use crate::error::Error;
use crate::message::{Message, Usage};
use crate::request::Messages;
use crate::session::{OpenCall, ReplyRecord, SessionData, SessionStore, Write};
use crate::world::World;

use super::edit::{Edit, with_own_id};

/// A session as it stands between two writes.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    pub(super) messages: Messages,
    pub(super) open: Vec<OpenCall>,
    pub(super) record: Option<ReplyRecord>,
}

impl From<SessionData> for View {
    fn from(data: SessionData) -> Self {
        Self {
            messages: Arc::new(data.messages.into_iter().map(Arc::new).collect()),
            open: data.open_calls,
            record: data.reply,
        }
    }
}

/// Who may still write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Everyone.
    Running,
    /// The end of the reply, and layers. What the loop began and had to leave changes nothing any more.
    Ending,
    /// Nobody: the session is free for the next reply.
    Closed,
}

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// The loop and its tools.
    Loop,
    /// A layer, or the end of the reply.
    Rim,
}

/// The session of the running reply.
pub(super) struct Conversation {
    session_id: String,
    store: Arc<dyn SessionStore>,
    world: Arc<dyn World>,
    view: Mutex<View>,
    /// Tokens that go with the next write.
    spent: Mutex<Vec<Write>>,
    /// Held during a write, so that each sees what the one before left.
    gate: Arc<tokio::sync::Mutex<Phase>>,
}

impl Conversation {
    pub(super) fn new(
        session_id: String,
        data: SessionData,
        store: Arc<dyn SessionStore>,
        world: Arc<dyn World>,
    ) -> Arc<Self> {
        Arc::new(Self {
            session_id,
            store,
            world,
            view: Mutex::new(data.into()),
            spent: Mutex::default(),
            gate: Arc::new(tokio::sync::Mutex::new(Phase::Running)),
        })
    }

    /// The session's id.
    pub(super) fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The session as it is now.
    pub(super) fn view(&self) -> View {
        lock(&self.view).clone()
    }

    pub(super) fn messages(&self) -> Messages {
        Arc::clone(&lock(&self.view).messages)
    }

    pub(super) fn open(&self) -> Vec<OpenCall> {
        lock(&self.view).open.clone()
    }

    /// The JSON Schema that the answer of the running reply is to match.
    pub(super) fn output_schema(&self) -> Option<Value> {
        lock(&self.view).record.as_ref()?.output_schema.clone()
    }

    /// A message with an id of its own, to be announced before it is stored.
    pub(super) fn named(&self, message: Message) -> Message {
        let message = Message { id: String::new(), ..message };
        with_own_id(message, self.messages().iter(), &*self.world)
    }

    /// Counts the tokens of a model call. They are stored with the next write; at the end of a reply one comes for them.
    pub(super) fn spend(&self, model: String, usage: Usage) {
        lock(&self.spent).push(Write::AddUsage { model, usage });
    }

    /// Changes the session: all of it is stored, or nothing is changed.
    ///
    /// Once begun a write is carried to its end, whatever becomes of the one who waits for it: memory and store
    /// must not part. One that waits for its turn is given up with the one who waits for it, so that nothing of a run
    /// of the loop is written behind the begin of the next.
    pub(super) async fn commit<T: Send + 'static>(
        self: &Arc<Self>,
        author: Author,
        change: impl FnOnce(&mut Edit) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let phase = Arc::clone(&self.gate).lock_owned().await;
        if *phase == Phase::Closed || (*phase == Phase::Ending && author == Author::Loop) {
            return Err(Error::aborted());
        }
        let this = Arc::clone(self);
        let write = tokio::spawn(async move {
            let written = this.write(change).await;
            drop(phase);
            written
        });
        write.await.unwrap_or_else(|_| Err(Error::internal("a write to the session panicked")))
    }

    async fn write<T>(&self, change: impl FnOnce(&mut Edit) -> Result<T, Error>) -> Result<T, Error> {
        let mut edit = Edit::new(self.view(), Arc::clone(&self.world));
        let value = change(&mut edit)?;
        let (view, batch) = edit.into_parts();
        let spent = std::mem::take(&mut *lock(&self.spent));
        if spent.is_empty() && batch.is_empty() {
            return Ok(value);
        }
        let all = spent.iter().cloned().chain(batch).collect();
        if let Err(error) = self.store.write(self.session_id.clone(), all).await {
            lock(&self.spent).splice(0..0, spent);
            return Err(error.into());
        }
        *lock(&self.view) = view;
        Ok(value)
    }

    /// From now on the loop changes nothing any more.
    pub(super) async fn seal(&self) {
        let mut phase = self.gate.lock().await;
        *phase = (*phase).max(Phase::Ending);
    }

    /// From now on nobody does.
    pub(super) async fn close(&self) {
        *self.gate.lock().await = Phase::Closed;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}
