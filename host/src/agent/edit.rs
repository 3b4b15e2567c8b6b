//! One change of a session, collected write by write.

use std::collections::HashMap;
use std::sync::Arc;

use crate::message::{Block, Message, ResultPart, Role, ToolCall, ToolResult};
use crate::session::{OpenCall, ReplyRecord, Write};
use crate::world::World;

use super::conversation::View;

/// A change in the making: what the session will be, and the writes that make it so.
pub(super) struct Edit {
    view: View,
    batch: Vec<Write>,
    world: Arc<dyn World>,
}

impl Edit {
    pub(super) fn new(view: View, world: Arc<dyn World>) -> Self {
        Self { view, batch: Vec::new(), world }
    }

    /// The session as it will be.
    pub(super) fn view(&self) -> &View {
        &self.view
    }

    pub(super) fn into_parts(self) -> (View, Vec<Write>) {
        (self.view, self.batch)
    }

    /// Adds a message at the end.
    pub(super) fn append(&mut self, message: Message) {
        let message = with_own_id(message, self.view.messages.iter(), &*self.world);
        Arc::make_mut(&mut self.view.messages).push(Arc::new(message.clone()));
        self.batch.push(Write::Append(message));
    }

    /// Puts messages in the place of a range, which must lie within the conversation.
    pub(super) fn replace(&mut self, start: usize, end: usize, messages: Vec<Message>) {
        let all = Arc::make_mut(&mut self.view.messages);
        let behind = all.split_off(end);
        all.truncate(start);
        let mut fresh = Vec::with_capacity(messages.len());
        for message in messages {
            let message = with_own_id(message, all.iter().chain(&behind), &*self.world);
            all.push(Arc::new(message.clone()));
            fresh.push(message);
        }
        all.extend(behind);
        self.batch.push(Write::Replace { start: index(start), end: index(end), messages: fresh });
    }

    /// Sets what is known of the reply. Another reply's calls are no longer open.
    pub(super) fn put_record(&mut self, record: ReplyRecord) {
        if self.view.record.as_ref().is_some_and(|known| known.id != record.id) {
            self.view.open.clear();
        }
        if self.view.record.as_ref() != Some(&record) {
            self.view.record = Some(record.clone());
            self.batch.push(Write::PutReply(record));
        }
    }

    /// Changes what is known of the reply.
    pub(super) fn update_record(&mut self, change: impl FnOnce(&mut ReplyRecord)) {
        if let Some(mut record) = self.view.record.clone() {
            change(&mut record);
            self.put_record(record);
        }
    }

    /// Sets what is known of an open call.
    pub(super) fn put_call(&mut self, open: OpenCall) {
        match self.view.open.iter_mut().find(|known| known.call.id == open.call.id) {
            Some(known) => *known = open.clone(),
            None => self.view.open.push(open.clone()),
        }
        self.batch.push(Write::PutCall(open));
    }

    /// Shows another call in the place of the one with the same id.
    pub(super) fn replace_call(&mut self, call: &ToolCall) {
        let Some(at) = self.caller(&call.id) else { return };
        let Some(message) = self.view.messages.get(at) else { return };
        if message.tool_calls().any(|known| known == call) {
            return;
        }
        let mut message = Message::clone(message);
        for block in &mut message.content {
            match block {
                Block::ToolCall(known) if known.id == call.id => *known = call.clone(),
                _ => {}
            }
        }
        self.replace(at, at + 1, vec![message]);
    }

    /// Changes the content of a stored result.
    pub(super) fn replace_result(&mut self, call_id: &str, content: Vec<ResultPart>) {
        let holds = |message: &Arc<Message>| message.tool_results().any(|result| result.call_id == call_id);
        let Some(at) = self.view.messages.iter().rposition(holds) else { return };
        let Some(message) = self.view.messages.get(at) else { return };
        let mut message = Message::clone(message);
        for block in &mut message.content {
            match block {
                Block::ToolResult(result) if result.call_id == call_id => result.content.clone_from(&content),
                _ => {}
            }
        }
        self.replace(at, at + 1, vec![message]);
    }

    /// Closes an open call with its result. A call that is not open keeps the result that it has.
    pub(super) fn close_call(&mut self, result: ToolResult) -> bool {
        let Some(at) = self.view.open.iter().position(|open| open.call.id == result.call_id) else {
            return false;
        };
        self.view.open.remove(at);
        let id = result.call_id.clone();
        self.put_result(result);
        self.batch.push(Write::CloseCall(id));
        true
    }

    /// Puts a result behind its call, in the order of the calls.
    pub(super) fn put_result(&mut self, result: ToolResult) {
        let Some(at) = self.result_place(&result.call_id) else { return };
        let message = Message::new(Role::Tool, vec![Block::ToolResult(result)]);
        if at == self.view.messages.len() {
            self.append(message);
        } else {
            self.replace(at, at, vec![message]);
        }
    }

    /// The message that made a call.
    fn caller(&self, call_id: &str) -> Option<usize> {
        self.view.messages.iter().rposition(|message| message.tool_calls().any(|call| call.id == call_id))
    }

    fn result_place(&self, call_id: &str) -> Option<usize> {
        let caller = self.caller(call_id)?;
        let calls = self.view.messages.get(caller)?.tool_calls();
        let order: HashMap<&str, usize> = calls.enumerate().map(|(rank, call)| (&*call.id, rank)).collect();
        let rank = |id: &str| order.get(id).copied();
        let own = rank(call_id);
        let earlier = self.view.messages.iter().skip(caller + 1).take_while(|message| {
            message.role == Role::Tool
                && message.tool_results().all(|result| rank(&result.call_id).is_some_and(|it| Some(it) < own))
        });
        Some(caller + 1 + earlier.count())
    }
}

/// The message with an id that none of the others has.
pub(super) fn with_own_id<'a>(
    mut message: Message,
    others: impl IntoIterator<Item = &'a Arc<Message>, IntoIter: Clone>,
    world: &dyn World,
) -> Message {
    let others = others.into_iter();
    while message.id.is_empty() || others.clone().any(|other| other.id == message.id) {
        message.id = world.id();
    }
    message
}

/// A conversation's length fits: the contract counts messages in 32 bits.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
