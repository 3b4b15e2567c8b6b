//! What stays of a message that an abort cut short: what its reader has seen of it, marked as interrupted.
//!
//! Only an abort keeps such a message, for it was a person who had read enough. After a failure it is withdrawn: it
//! may be what a review refused, and whoever asks again must not see half an answer before the whole one.

use serde_json::{Map, Value};

use crate::chain::Sink;
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::message::{Block, FinishReason, INTERRUPTED, Message, Role, ToolCall, ToolResult};
use crate::session::{CallState, OpenCall, ReplyStatus};

use super::assemble::{Piece, is_shown};
use super::conversation::Author;
use super::outcome::interrupted;
use super::settle::shows;
use super::turn::Turn;

impl Turn {
    /// Ends an aborted reply in the store, with what stays of the running message. Without anything that stays, what
    /// was streamed is withdrawn.
    pub(super) async fn end_interrupted(&self, why: &str, out: &Sink) -> Result<(), Error> {
        if self.is_stored() {
            return self.set_status(ReplyStatus::Ended).await;
        }
        // Without a stream there is nothing to close, and what has gone out counts.
        let _ = self.close_stream(out).await;
        let pieces = self.board.lock().delivered.pieces().to_vec();
        let content = kept(&pieces);
        if content.is_empty() {
            let withdrawn = self.withdraw(out).await;
            self.set_status(ReplyStatus::Ended).await?;
            return unless_gone(withdrawn);
        }
        let mut message = self.conversation.named(Message::new(Role::Assistant, content));
        message.metadata.insert(INTERRUPTED.to_owned(), Value::Bool(true));
        self.rename_calls(&mut message);
        let results: Vec<ToolResult> =
            message.tool_calls().map(|call| interrupted(&pending(call), why)).collect();
        self.store_interrupted(message.clone(), results.clone()).await?;
        let same = shows(&pieces, &message);
        unless_gone(self.announce_interrupted(&message, same, results, out).await)
    }

    /// Lets go out what filters hold back, and closes what is open in the stream.
    async fn close_stream(&self, out: &Sink) -> Result<(), Error> {
        out.flush().await?;
        let (ends, calls) = {
            let board = self.board.lock();
            (board.sent.missing_ends(), board.sent.running_calls())
        };
        out.emit(ends).await?;
        for id in calls {
            let (usage, error) = (self.spending.of_cut_off(&id), Some(Error::aborted()));
            out.send(Event::ModelCallEnd { id, finish_reason: FinishReason::Other, usage, error }).await?;
        }
        out.flush().await
    }

    async fn store_interrupted(&self, message: Message, results: Vec<ToolResult>) -> Result<(), Error> {
        let (step, calls) = (self.step(), results.len());
        self.conversation
            .commit(Author::Rim, move |edit| {
                edit.append(message);
                results.into_iter().for_each(|result| edit.put_result(result));
                edit.update_record(|record| {
                    record.status = ReplyStatus::Ended;
                    record.step = step;
                });
                Ok(())
            })
            .await?;
        self.count_ended(calls);
        Ok(())
    }

    async fn announce_interrupted(
        &self,
        message: &Message,
        same: bool,
        results: Vec<ToolResult>,
        out: &Sink,
    ) -> Result<(), Error> {
        if !same {
            out.send(Event::MessageReplaced { message: message.clone() }).await?;
        }
        self.board.lock().clear_step();
        for result in results {
            self.announce_result(result, out).await?;
        }
        out.flush().await
    }
}

/// What of the shown blocks can stand in a conversation.
///
/// Data and calls must be whole. The stream shows no signature of a thought, so that a provider gets no thought of
/// these back; and since it wants calls only behind the thoughts that led to them, calls behind a thought go too.
fn kept(pieces: &[Piece]) -> Vec<Block> {
    let thinks =
        pieces.iter().any(|piece| matches!(piece.block, Block::Thinking { .. }) && is_shown(&piece.block));
    let stays = |piece: &&Piece| match &piece.block {
        Block::Text { text } => !text.trim().is_empty(),
        Block::Data(_) => piece.ended,
        Block::ToolCall(call) => piece.ended && !thinks && is_whole(call),
        block => is_shown(block),
    };
    let content: Vec<Block> = pieces.iter().filter(stays).map(|piece| piece.block.clone()).collect();
    let says = content.iter().any(|block| !matches!(block, Block::Thinking { .. }));
    if says { content } else { Vec::new() }
}

fn is_whole(call: &ToolCall) -> bool {
    serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok()
}

fn pending(call: &ToolCall) -> OpenCall {
    OpenCall { call: call.clone(), state: CallState::Pending, reason: String::new(), edited: false }
}

/// A stream that has gone is no failure of a reply that was aborted.
fn unless_gone(sent: Result<(), Error>) -> Result<(), Error> {
    sent.or_else(|error| if error.kind == ErrorKind::Aborted { Ok(()) } else { Err(error) })
}
