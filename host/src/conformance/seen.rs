//! Everything that a reply told, and what must hold of every one.

use std::sync::Arc;

use crate::agent::{Agent, ReplyItem, ReplyResult, ReplyStream};
use crate::chain::{HookKind, Note, NoteKind};
use crate::event::{Event, Outcome};
use crate::message::{Message, Role};
use crate::services::{Scope, StatePlace};
use crate::session::SessionData;

use super::finding::Finding;
use super::rig::SESSION;
use super::stream::Streamed;
use super::taps::Trip;

/// When a reply is aborted.
pub(super) enum Abort {
    Never,
    /// Once so many events have come.
    AfterEvents(usize),
    /// When the layer makes a call.
    AtCall(Arc<Trip>),
}

/// Everything that a reply told, and what it left behind.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) events: Vec<Event>,
    pub(super) notes: Vec<Note>,
    pub(super) result: ReplyResult,
    pub(super) stored: SessionData,
    /// The state of the layer, a line each.
    pub(super) state: Vec<String>,
}

impl Seen {
    /// Reads a reply to its end, and looks at what is left. It is aborted at this moment, if it comes.
    pub(super) async fn of(
        agent: &Agent,
        layer: &str,
        mut stream: ReplyStream,
        abort: &Abort,
    ) -> Result<Self, Finding> {
        let (mut events, mut notes) = (Vec::new(), Vec::new());
        if let Abort::AtCall(trip) = abort {
            trip.arm(stream.cancellation());
        }
        loop {
            if matches!(abort, Abort::AfterEvents(count) if *count == events.len()) {
                stream.abort();
            }
            let Some(item) = stream.next().await else { break };
            match item {
                ReplyItem::Event(event) => events.push(event),
                ReplyItem::Note(note) => notes.push(note),
            }
        }
        let result = stream.finish().await;
        let stored = agent.sessions().load(SESSION.to_owned()).await;
        let stored = stored.map_err(|error| Finding::new("the session is lost").seen(error.to_string()))?;
        let state = state(agent, layer, &result.reply_id).await;
        Ok(Self { events, notes, result, stored, state })
    }

    /// How the reply ended, in one word, with the error if there is one.
    pub(super) fn ended(&self) -> String {
        let response = &self.result.response;
        let outcome = outcome(response.outcome);
        match &response.error {
            Some(error) => format!("{outcome}: {}", error.message),
            None => outcome.to_owned(),
        }
    }

    /// The rule that the layer broke, if it did.
    pub(super) fn fault(&self) -> Option<Finding> {
        self.notes.iter().find_map(|note| match &note.kind {
            NoteKind::Fault { hook, cause } | NoteKind::Skipped { hook, cause } => {
                Some(Finding::new(format!("the layer broke a rule in `{hook}`")).seen(cause))
            }
            _ => None,
        })
    }

    /// What is not in order, of the things that must be after every reply.
    pub(super) fn in_order(&self, has_turn_end: bool) -> Result<(), Finding> {
        if let Some(fault) = self.fault() {
            return Err(fault);
        }
        self.closed()?;
        self.agrees()?;
        let ends = self.calls(HookKind::TurnEnd);
        if has_turn_end && ends != 1 {
            let what = "`on-turn-end` is called once a reply, whatever happens";
            return Err(Finding::new(what).expected("1 call").seen(format!("{ends} calls")));
        }
        Ok(())
    }

    /// How often the layer was entered at a hook.
    pub(super) fn calls(&self, hook: HookKind) -> u64 {
        let lines = self.result.layers.iter().filter(|(_, kind, _)| *kind == hook);
        lines.map(|(_, _, line)| line.calls).sum()
    }

    /// Every call that is not waited for has a result.
    fn closed(&self) -> Result<(), Finding> {
        let messages = &self.stored.messages;
        let has_result =
            |id: &str| messages.iter().flat_map(Message::tool_results).any(|result| result.call_id == id);
        let waits = |id: &str| self.result.pending.iter().any(|pending| pending.call.id == id);
        let mut calls = messages.iter().flat_map(Message::tool_calls);
        match calls.find(|call| !has_result(&call.id) && !waits(&call.id)) {
            Some(call) => Err(Finding::new(format!("the call of tool `{}` has no result", call.name))),
            None => Ok(()),
        }
    }

    /// The stream, the final message and the stored one say the same.
    fn agrees(&self) -> Result<(), Finding> {
        let response = &self.result.response;
        if response.outcome != Outcome::Replied {
            return Ok(());
        }
        let answer = response.text();
        let stored = self.stored.messages.iter().rfind(|message| message.role == Role::Assistant);
        let stored = stored.map(Message::text).unwrap_or_default();
        if stored != answer {
            let what = "the stored message is not the answer";
            return Err(Finding::new(what).expected(quoted(&answer)).seen(quoted(&stored)));
        }
        let streamed = Streamed::of(&self.events).last;
        if streamed != answer {
            let what = "the stream, after what was replaced and withdrawn, is not the answer";
            return Err(Finding::new(what).expected(quoted(&answer)).seen(quoted(&streamed)));
        }
        Ok(())
    }
}

/// The name of an outcome.
pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Replied => "replied",
        Outcome::Silent => "silent",
        Outcome::Aborted => "aborted",
        Outcome::Failed => "failed",
        Outcome::Parked => "parked",
    }
}

/// A text in quotes, the middle of a long one left out.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 200;
    let count = text.chars().count();
    if count <= SHOWN {
        return format!("{text:?}");
    }
    let begin: String = text.chars().take(SHOWN / 2).collect();
    let end: String = text.chars().skip(count - SHOWN / 2).collect();
    format!("{begin:?} ... {end:?}, {count} characters in all")
}

async fn state(agent: &Agent, layer: &str, reply_id: &str) -> Vec<String> {
    let store = agent.sessions().state();
    let mut lines = Vec::new();
    for scope in [Scope::Reply, Scope::Session, Scope::Layer] {
        let place = || StatePlace::new(layer, scope, SESSION, reply_id);
        for key in store.keys(place(), String::new()).await.unwrap_or_default() {
            let value = store.get(place(), key.clone()).await.ok().flatten().unwrap_or_default();
            lines.push(format!("{} {key} = {value}", scope.name()));
        }
    }
    lines
}
