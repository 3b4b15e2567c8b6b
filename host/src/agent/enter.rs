//! The conversation as a run of the loop begins with it.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::error::Error;
use crate::message::{Message, Role};
use crate::request::ReplyRequest;

use super::conversation::{Author, View};
use super::edit::Edit;
use super::outcome::interrupted;
use super::turn::Turn;

impl Turn {
    /// Prepares the conversation: as the request wants it, and with nothing left of an earlier run.
    pub(super) async fn enter(&self, request: &ReplyRequest) -> Result<(), Error> {
        let again = self.runs.fetch_add(1, Ordering::SeqCst) > 0;
        let (found, request) = (self.found.clone(), request.clone());
        let step = found.record.as_ref().map_or(0, |record| record.step);
        if again {
            self.steps.store(step, Ordering::SeqCst);
        }
        self.conversation
            .commit(Author::Loop, move |edit| {
                if again {
                    rewind(edit, &found);
                }
                if !request.resumed {
                    put_input(edit, &found, &request.input);
                }
                edit.update_record(|record| {
                    record.step = step;
                    record.output_schema.clone_from(&request.output_schema);
                    record.tool_choice.clone_from(&request.tool_choice);
                    record.metadata.clone_from(&request.metadata);
                });
                Ok(())
            })
            .await
    }
}

/// Puts the conversation back to where this run of the reply found it.
///
/// A resumed reply keeps the results of the calls that it found open: they have run, and must not run again.
fn rewind(edit: &mut Edit, found: &View) {
    let now = edit.view().clone();
    for open in &now.open {
        edit.close_call(interrupted(open, "the reply was begun again"));
    }
    let now = edit.view().messages.clone();
    let kept: HashSet<&str> = found.open.iter().map(|open| open.call.id.as_str()).collect();
    let mut wanted: Vec<Arc<Message>> = Vec::with_capacity(found.messages.len());
    for message in found.messages.iter() {
        // A call that was changed meanwhile stays changed: its result belongs to it.
        let current = now.iter().find(|known| known.id == message.id && known.role == Role::Assistant);
        wanted.push(Arc::clone(current.unwrap_or(message)));
    }
    let result_of = |message: &Arc<Message>| {
        message.tool_results().any(|result| kept.contains(result.call_id.as_str()))
            && !found.messages.iter().any(|known| known.id == message.id)
    };
    wanted.extend(now.iter().filter(|message| result_of(message)).cloned());
    let same = now.iter().zip(&wanted).take_while(|(now, wanted)| Arc::ptr_eq(now, wanted)).count();
    if same < now.len() || same < wanted.len() {
        let fresh = wanted.iter().skip(same).map(|message| Message::clone(message)).collect();
        edit.replace(same, now.len(), fresh);
    }
}

/// Puts the input behind what was found, if it does not stand there already.
fn put_input(edit: &mut Edit, found: &View, input: &[Message]) {
    let base = found.messages.len();
    let stored = edit.view().messages.get(base..).unwrap_or_default();
    let same = |stored: &Arc<Message>, wanted: &Message| {
        stored.role == wanted.role && stored.content == wanted.content && stored.name == wanted.name
    };
    let stands = stored.len() == input.len() && stored.iter().zip(input).all(|(one, other)| same(one, other));
    if !stands {
        let end = base + stored.len();
        edit.replace(base, end, input.to_vec());
    }
}
