//! The conversation as a run of the loop begins with it.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::chain::Sink;
use crate::error::Error;
use crate::message::{Message, ToolResult};
use crate::request::ReplyRequest;

use super::conversation::{Author, View};
use super::edit::Edit;
use super::outcome::interrupted;
use super::turn::Turn;

/// What the first run of the loop began with, so that a second one can begin with the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    /// The ids of the messages that stay: those that were there, and what layers put in since.
    pub(super) kept: HashSet<String>,
    /// The calls that were open. They keep their results: they have run, and must not run again.
    open: HashSet<String>,
    step: u32,
}

impl Start {
    fn of(view: &View, step: u32) -> Self {
        Self { kept: ids(view), open: view.open.iter().map(|open| open.call.id.clone()).collect(), step }
    }
}

impl Turn {
    /// Prepares the conversation: as the request wants it, and with nothing left of an earlier run.
    pub(super) async fn enter(&self, request: &ReplyRequest, out: &Sink) -> Result<(), Error> {
        request.check_input(&request.input)?;
        let start = self.start();
        let step = start.as_ref().map_or_else(|| self.step(), |start| start.step);
        self.steps.store(step, Ordering::SeqCst);
        let (earlier, wanted, input) = (start.clone(), request.clone(), self.input());
        let (view, input) = self
            .conversation
            .commit(Author::Loop, move |edit| {
                if let Some(start) = &earlier {
                    rewind(edit, start);
                }
                let input = if wanted.resumed { input } else { put_input(edit, input, &wanted.input) };
                edit.update_record(|record| {
                    record.step = step;
                    record.output_schema.clone_from(&wanted.output_schema);
                    record.tool_choice.clone_from(&wanted.tool_choice);
                    record.metadata.clone_from(&wanted.metadata);
                });
                Ok((edit.view().clone(), input))
            })
            .await?;
        self.keep(input.iter().cloned());
        self.set_input(input);
        match start {
            None => self.set_start(Start::of(&view, step)),
            Some(start) => self.announce_kept(&start, &view, out).await?,
        }
        Ok(())
    }

    /// Shows the results again that stay, since the second run withdrew all that the first had shown.
    async fn announce_kept(&self, start: &Start, view: &View, out: &Sink) -> Result<(), Error> {
        let results = view.messages.iter().flat_map(|message| message.tool_results());
        let kept: Vec<ToolResult> = results.filter(|it| start.open.contains(&it.call_id)).cloned().collect();
        for result in kept {
            self.announce_result(result, out).await?;
        }
        Ok(())
    }
}

/// Removes what an earlier run put into the conversation.
fn rewind(edit: &mut Edit, start: &Start) {
    for open in edit.view().open.clone() {
        edit.close_call(interrupted(&open, "the reply was begun again"));
    }
    let now = Arc::clone(&edit.view().messages);
    let stays = |message: &&Arc<Message>| {
        start.kept.contains(&message.id)
            || message.tool_results().any(|result| start.open.contains(&result.call_id))
    };
    let wanted: Vec<&Arc<Message>> = now.iter().filter(stays).collect();
    let same = now.iter().zip(&wanted).take_while(|(now, wanted)| Arc::ptr_eq(now, wanted)).count();
    if wanted.len() < now.len() {
        let rest = wanted.iter().skip(same).map(|message| Message::clone(message)).collect();
        edit.replace(same, now.len(), rest);
    }
}

/// Puts the input where the one of the begin stands, unless it is the same. Gives its ids.
///
/// An input that a layer has compressed away stays away: what stands for it is in the conversation.
fn put_input(edit: &mut Edit, ids: Vec<String>, input: &[Message]) -> Vec<String> {
    let messages = &edit.view().messages;
    let Some(at) = messages.iter().position(|message| Some(&message.id) == ids.first()) else { return ids };
    let stored = messages.iter().skip(at).zip(&ids).take_while(|(message, id)| message.id == **id);
    let stored: Vec<&Arc<Message>> = stored.map(|(message, _)| message).collect();
    let same = |stored: &Message, wanted: &Message| {
        let named = Message { id: stored.id.clone(), ..wanted.clone() };
        *stored == named
    };
    if stored.len() == input.len() && stored.iter().zip(input).all(|(one, other)| same(one, other)) {
        return ids;
    }
    let end = at + stored.len();
    edit.replace(at, end, input.to_vec());
    let fresh = edit.view().messages.iter().skip(at).take(input.len());
    fresh.map(|message| message.id.clone()).collect()
}

/// The ids of all messages.
fn ids(view: &View) -> HashSet<String> {
    view.messages.iter().map(|message| message.id.clone()).collect()
}
