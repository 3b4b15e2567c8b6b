//! The loop: act, compress, reason, until there is a final answer or something to wait for.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::chain::{CompressContext, HookKind, Sink, endpoint_fn};
use crate::error::Error;
use crate::event::Outcome;
use crate::message::{Block, FinishReason, Message, Role, ToolCall, ToolChoice, ToolResult, ToolState};
use crate::request::{
    CompressRequest, CompressRequestData, CompressResponse, CompressResponseData, ReasoningResponse,
    ReplyRequest, ReplyResponse,
};
use crate::session::{CallState, OpenCall};

use super::act::Acted;
use super::conversation::{Author, View};
use super::edit::Edit;
use super::outcome::closing;
use super::turn::Turn;

/// How often in a row a model may think and say nothing before that counts as silence.
const THOUGHTS_MAX: u32 = 3;

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
        self.enter(&request).await?;
        let mut choice = request.tool_choice.clone();
        let mut thoughts = 0;
        loop {
            if self.act(&out).await? == Acted::Parked {
                return Ok(self.response(Outcome::Parked, None));
            }
            let step = self.begin_step()?;
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

    /// Prepares the conversation: as the request wants it, and with nothing left of an earlier run.
    async fn enter(&self, request: &ReplyRequest) -> Result<(), Error> {
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

    /// Lets layers compress the context. The host itself never does.
    async fn compress(&self, step: u32, out: &Sink) -> Result<(), Error> {
        if !self.chain.has(HookKind::CompressContext) {
            return Ok(());
        }
        let messages = self.conversation.messages();
        let request = CompressRequest::new(CompressRequestData {
            step,
            message_count: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            estimated_tokens: self.estimate(&messages),
            context_tokens: self.agent.models.get(&self.agent.main).and_then(|model| model.context_tokens()),
            instructions: None,
        });
        let endpoint =
            endpoint_fn(|_, _| async { Ok(CompressResponse::new(CompressResponseData::default())) });
        self.chain.call::<CompressContext>(request, endpoint, out.clone()).await?;
        Ok(())
    }

    /// About four characters are a token, in the languages that models were measured with.
    fn estimate(&self, messages: &[Arc<Message>]) -> u32 {
        let prompt = self.agent.system_prompt.as_ref().map_or(0, String::len);
        let tools = self
            .agent
            .catalogue
            .definitions()
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len());
        let talk = messages.iter().flat_map(|message| &message.content).map(letters);
        u32::try_from((prompt + tools.sum::<usize>() + talk.sum::<usize>()) / 4).unwrap_or(u32::MAX)
    }

    /// Stores a message that asks for tools, together with its calls. What can't run has its result at once.
    async fn store_calls(
        self: &Arc<Self>,
        step: u32,
        answer: ReasoningResponse,
        choice: ToolChoice,
        out: &Sink,
    ) -> Result<(), Error> {
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
                Some(fault) => refused.push(closing(&call, (ToolState::Error, &fault))),
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
        for result in refused {
            self.announce_result(result, out).await?;
        }
        Ok(())
    }

    async fn store_thought(&self, step: u32, message: Message, out: &Sink) -> Result<(), Error> {
        let message = self.settle_message(self.conversation.named(message), out).await?;
        self.conversation
            .commit(Author::Loop, move |edit| {
                edit.append(message);
                edit.update_record(|record| record.step = step);
                Ok(())
            })
            .await
    }

    /// Gives calls ids of their own where a model repeats itself: a result must find its call.
    fn rename_calls(&self, message: &mut Message) {
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

/// Puts the conversation back to where this run of the reply found it.
///
/// A resumed reply keeps the results of the calls that it found open: they have run, and must not run again.
fn rewind(edit: &mut Edit, found: &View) {
    let now = edit.view().clone();
    for open in &now.open {
        edit.close_call(closing(open, (ToolState::Interrupted, "interrupted: the reply was begun again")));
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

/// The characters of a block.
fn letters(block: &Block) -> usize {
    let in_results = |result: &ToolResult| crate::message::result_text(&result.content).len();
    let in_call = |call: &ToolCall| call.name.len() + call.arguments.len();
    match block {
        Block::Text { text } | Block::Thinking { text, .. } | Block::Hint { text, .. } => text.len(),
        Block::ToolCall(call) => in_call(call),
        Block::ToolResult(result) => in_results(result),
        Block::Data(_) | Block::Other { .. } => 0,
    }
}
