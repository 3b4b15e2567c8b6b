//! The native layer.

use std::sync::Arc;

use cepa::chain::{ChainEntry, HookFuture, HookKind, HookSet, Layer, Middleware, NoteKind, ReplyContext};
use cepa::error::Error;
use cepa::event::{Event, EventKinds};
use cepa::message::Block;
use cepa::request::{Draft, Verdict};

use super::{Change, changed};

/// A native layer that makes these changes, in its place in a chain.
pub fn native(name: &str, changes: Vec<Change>) -> ChainEntry {
    ChainEntry::new(NativeTransform { name: name.to_owned(), changes })
}

struct NativeTransform {
    name: String,
    changes: Vec<Change>,
}

impl Middleware for NativeTransform {
    fn name(&self) -> &str {
        &self.name
    }

    fn hooks(&self) -> HookSet {
        [HookKind::SystemPrompt, HookKind::Events, HookKind::Draft].into_iter().collect()
    }

    fn open(&self, reply: &Arc<ReplyContext>) -> Arc<dyn Layer> {
        let (name, changes, context) = (self.name.clone(), self.changes.clone(), Arc::clone(reply));
        Arc::new(Running { name, changes, context })
    }
}

struct Running {
    name: String,
    changes: Vec<Change>,
    context: Arc<ReplyContext>,
}

impl Running {
    /// Logs the text that comes, and tells what becomes of it.
    fn pass(&self, text: String, stops: bool) -> Result<Option<String>, Error> {
        self.context.ledger.note(&self.name, NoteKind::Log { level: "info", message: text.clone() });
        changed(text, &self.changes, stops)
    }
}

impl Layer for Running {
    fn on_system_prompt(self: Arc<Self>, prompt: String) -> HookFuture<String> {
        Box::pin(async move { Ok(self.pass(prompt, false)?.unwrap_or_default()) })
    }

    fn event_kinds(self: Arc<Self>) -> HookFuture<EventKinds> {
        Box::pin(async { Ok(EventKinds::TEXT) })
    }

    fn on_events(self: Arc<Self>, events: Vec<Event>) -> HookFuture<Vec<Event>> {
        Box::pin(async move {
            let mut passed = Vec::new();
            for event in events {
                match event {
                    Event::TextDelta { id, text } => {
                        let text = self.pass(text, true)?;
                        passed.extend(text.map(|text| Event::TextDelta { id, text }));
                    }
                    other => passed.push(other),
                }
            }
            Ok(passed)
        })
    }

    fn on_draft(self: Arc<Self>, draft: Draft) -> HookFuture<Verdict> {
        Box::pin(async move {
            let before = draft.message.text();
            Ok(match self.pass(before.clone(), true)? {
                None => Verdict::Retry("again".to_owned()),
                Some(after) if after == before => Verdict::Accept,
                Some(after) => Verdict::Replace(vec![Block::Text { text: after }]),
            })
        })
    }
}
