//! The loop: act, compress, reason, until there is a final answer or something to wait for.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::chain::Sink;
use crate::error::Error;
use crate::event::Outcome;
use crate::message::{Block, FinishReason, Message, Role, ToolChoice};
use crate::request::{ReasoningResponse, ReplyRequest, ReplyResponse};
use crate::session::{CallState, OpenCall};

use super::act::Acted;
use super::conversation::Author;
use super::outcome::refusal;
use super::turn::Turn;

/// How often in a row a model may think and say nothing before that counts as silence.
const THOUGHTS_MAX: u32 = 3;

/// How many tools one answer may call. No work needs as many at once, and each costs the host a place in the session.
const CALLS_MAX: usize = 128;

/// What a model's answer asks of the loop.
enum Next {
    /// To run tools.
    Act,
    /// To end the reply.
    Answer,
    /// To ask again: it only thought.
    GoOn,
    /// Nothing.
    Silent,
}

impl Turn {
    /// Runs the loop for one run of the `on-reply` endpoint.
    pub(super) async fn drive(
        self: Arc<Self>,
        request: ReplyRequest,
        out: Sink,
    ) -> Result<ReplyResponse, Error> {
        self.enter(&request, &out).await?;
        let mut choice = request.tool_choice.clone();
        let mut thoughts = 0;
        loop {
            if self.act(&out).await? == Acted::Parked {
                return Ok(self.response(Outcome::Parked, None));
            }
            let step = self.begin_step()?;
            self.lineup.tools.refresh().await;
            self.compress(step, &out).await?;
            let answer = self.reason(step, &request, choice.clone(), Arc::default(), &out).await?;
            match next(&answer.message) {
                Next::Act => {
                    thoughts = 0;
                    if choice != ToolChoice::None {
                        choice = ToolChoice::Auto;
                    }
                    self.store_calls(step, answer, choice.clone(), &out).await?;
                }
                Next::Answer => return self.conclude(step, &request, answer.message.clone(), &out).await,
                Next::GoOn if thoughts + 1 < THOUGHTS_MAX => {
                    thoughts += 1;
                    self.store_thought(step, answer.message.clone(), &out).await?;
                }
                Next::GoOn | Next::Silent => return Ok(self.response(Outcome::Silent, None)),
            }
        }
    }

    /// The next step, unless there were enough.
    fn begin_step(&self) -> Result<u32, Error> {
        let (step, max) = (self.step() + 1, self.agent.bounds.steps);
        if step > max {
            return Err(Error::limit("max-steps", max, step));
        }
        self.steps.store(step, Ordering::SeqCst);
        self.context.set_step(step);
        Ok(step)
    }

    /// Stores a message that asks for tools, together with its calls. What can't run has its result at once.
    async fn store_calls(
        self: &Arc<Self>,
        step: u32,
        answer: ReasoningResponse,
        choice: ToolChoice,
        out: &Sink,
    ) -> Result<(), Error> {
        let asked = answer.message.tool_calls().count();
        if asked > CALLS_MAX {
            return Err(Error::limit("tool-calls", format_args!("{CALLS_MAX} in one answer"), asked));
        }
        let mut message = self.conversation.named(answer.message.clone());
        message.role = Role::Assistant;
        self.rename_calls(&mut message);
        let message = self.settle_message(message, out).await?;
        let cut = answer.finish_reason == FinishReason::Length;
        let offered = self.offered();
        let (mut open, mut refused) = (Vec::new(), Vec::new());
        for call in message.tool_calls().cloned() {
            let fault = self.vet(&call, &offered, cut).err();
            let call = OpenCall { call, state: CallState::Pending, reason: String::new(), edited: false };
            match fault {
                None => open.push(call),
                Some(fault) => refused.push(refusal(&call.call, fault)),
            }
        }
        self.count_ended(refused.len());
        let results = refused.clone();
        self.conversation
            .commit(Author::Loop, move |edit| {
                edit.append(message);
                open.into_iter().for_each(|call| edit.put_call(call));
                results.into_iter().for_each(|result| edit.put_result(result));
                edit.update_record(|record| {
                    record.step = step;
                    record.tool_choice = choice;
                });
                Ok(())
            })
            .await?;
        self.board.lock().clear_step();
        for result in refused {
            self.announce_result(result, out).await?;
        }
        Ok(())
    }

    async fn store_thought(&self, step: u32, message: Message, out: &Sink) -> Result<(), Error> {
        let message = Message { role: Role::Assistant, ..self.conversation.named(message) };
        let message = self.settle_message(message, out).await?;
        self.conversation
            .commit(Author::Loop, move |edit| {
                edit.append(message);
                edit.update_record(|record| record.step = step);
                Ok(())
            })
            .await?;
        self.board.lock().clear_step();
        Ok(())
    }

    /// Gives calls ids of their own where a model repeats itself: a result must find its call.
    pub(super) fn rename_calls(&self, message: &mut Message) {
        let messages = self.conversation.messages();
        let mut taken: HashSet<String> =
            messages.iter().flat_map(|message| message.tool_calls()).map(|call| call.id.clone()).collect();
        for block in &mut message.content {
            if let Block::ToolCall(call) = block
                && (call.id.is_empty() || !taken.insert(call.id.clone()))
            {
                call.id = self.context.world.id();
                taken.insert(call.id.clone());
            }
        }
    }

    /// Counts tool calls that have ended.
    pub(super) fn count_ended(&self, calls: usize) {
        self.tool_calls.fetch_add(u32::try_from(calls).unwrap_or(u32::MAX), Ordering::SeqCst);
    }
}

fn next(message: &Message) -> Next {
    if message.tool_calls().next().is_some() {
        return Next::Act;
    }
    let says = |block: &Block| match block {
        Block::Text { text } => !text.trim().is_empty(),
        Block::Data(_) | Block::Other { .. } => true,
        _ => false,
    };
    if message.content.iter().any(says) {
        return Next::Answer;
    }
    if message.content.iter().any(|block| matches!(block, Block::Thinking { .. })) {
        Next::GoOn
    } else {
        Next::Silent
    }
}
