//! Makes stream and store agree: announces what was not streamed, and keeps what went out.

use crate::chain::{HookKind, Sink};
use crate::error::Error;
use crate::event::Event;
use crate::message::{Block, Data, DataSource, Message, ResultPart, Role, ToolResult};

use super::assemble::{Piece, delivered, is_shown, looks_like, push_text};
use super::conversation::Author;
use super::turn::Turn;

impl Turn {
    /// Ends the stream of a message, and gives the message as it went out.
    ///
    /// One that was not streamed at all is streamed now; one that differs from what was is announced as a whole.
    /// What was shown is remembered until the message is stored, since an abort can come in between.
    pub(super) async fn settle_message(&self, mut message: Message, out: &Sink) -> Result<Message, Error> {
        out.flush().await?;
        let (unseen, same) = {
            let board = self.board.lock();
            (
                board.sent.pieces().iter().all(|piece| !is_shown(&piece.block)),
                shows(board.sent.pieces(), &message),
            )
        };
        if !same && unseen {
            self.stream_blocks(&message.content, out).await?;
        } else if !same {
            out.send(Event::MessageReplaced { message: message.clone() }).await?;
        }
        if !same {
            out.flush().await?;
        }
        let mut board = self.board.lock();
        // A layer may keep events from the filters. What these never saw, they did not hide either.
        if self.chain.has(HookKind::Events) && shows(board.sent.pieces(), &message) {
            message.content = delivered(message.content, board.sent.pieces(), board.delivered.pieces());
        }
        board.settled = Some(message.id.clone());
        Ok(message)
    }

    /// Forgets what the running step has streamed if it is stored already, and says whether it is.
    pub(super) fn is_stored(&self) -> bool {
        let messages = self.conversation.messages();
        let mut board = self.board.lock();
        let settled = board.settled.as_ref();
        let stored = settled.is_some_and(|id| messages.iter().any(|message| message.id == *id));
        if stored {
            board.clear_step();
        }
        stored
    }

    /// Withdraws what the running step has streamed.
    pub(super) async fn withdraw(&self, out: &Sink) -> Result<(), Error> {
        if self.is_stored() {
            return Ok(());
        }
        // Whoever is still to arrive belongs to what is withdrawn.
        out.flush().await?;
        let calls = self.board.lock().sent.model_calls();
        for id in calls.into_iter().rev() {
            out.send(Event::Withdrawn { id }).await?;
        }
        out.flush().await?;
        let left = self.board.lock().sent.pieces().iter().any(|piece| is_shown(&piece.block));
        if left {
            // A layer's own text belongs to no model call, so that nothing but an empty message can take it back.
            let message = self.conversation.named(Message::new(Role::Assistant, Vec::new()));
            out.send(Event::MessageReplaced { message }).await?;
            out.flush().await?;
        }
        self.board.lock().clear_step();
        Ok(())
    }

    /// Ends the stream of a tool's result, and gives its content as it went out.
    pub(super) async fn settle_result(
        &self,
        mut result: ToolResult,
        out: &Sink,
    ) -> Result<ToolResult, Error> {
        out.flush().await?;
        let shown = self.board.lock().sent.shown_result(&result.call_id).cloned();
        let rest = match &shown {
            Some(shown) => remainder(&result.content, shown),
            None => Some(result.content.clone()),
        };
        let begins = match (&shown, &rest) {
            (Some(_), None) => {
                out.send(Event::Withdrawn { id: result.call_id.clone() }).await?;
                true
            }
            (shown, _) => shown.is_none(),
        };
        if begins {
            let (call_id, name) = (result.call_id.clone(), result.name.clone());
            out.send(Event::ToolResultStart { call_id, name }).await?;
        }
        let rest = rest.unwrap_or_else(|| result.content.clone());
        stream_parts(&result.call_id, &rest, out).await?;
        out.send(Event::ToolResultEnd { call_id: result.call_id.clone(), state: result.state }).await?;
        out.flush().await?;
        let (sent, went_out) = {
            let mut board = self.board.lock();
            (board.sent.take_result(&result.call_id), board.delivered.take_result(&result.call_id))
        };
        if self.chain.has(HookKind::Events)
            && let (Some(sent), Some(went_out)) = (sent, went_out)
            && as_shown(&result.content) == sent
        {
            result.content = filtered(result.content, &sent, went_out);
        }
        Ok(result)
    }

    /// Streams a result that is stored already, and stores it anew if a filter changed it.
    pub(super) async fn announce_result(&self, result: ToolResult, out: &Sink) -> Result<(), Error> {
        let stored = result.content.clone();
        let result = self.settle_result(result, out).await?;
        if result.content != stored {
            self.conversation
                .commit(Author::Rim, move |edit| {
                    edit.replace_result(&result.call_id, result.content);
                    Ok(())
                })
                .await?;
        }
        Ok(())
    }

    /// Streams blocks that no model streamed.
    async fn stream_blocks(&self, content: &[Block], out: &Sink) -> Result<(), Error> {
        for block in content.iter().filter(|block| is_shown(block)) {
            let id = self.context.world.id();
            match block {
                Block::Text { text } => {
                    out.send(Event::TextStart { id: id.clone() }).await?;
                    out.send(Event::TextDelta { id: id.clone(), text: text.clone() }).await?;
                    out.send(Event::TextEnd { id }).await?;
                }
                Block::Thinking { text, .. } => {
                    out.send(Event::ThinkingStart { id: id.clone() }).await?;
                    out.send(Event::ThinkingDelta { id: id.clone(), text: text.clone() }).await?;
                    out.send(Event::ThinkingEnd { id }).await?;
                }
                Block::Data(Data { media_type, source: DataSource::Bytes(bytes), .. }) => {
                    let media_type = media_type.clone();
                    out.send(Event::DataStart { id: id.clone(), media_type }).await?;
                    out.send(Event::DataDelta { id: id.clone(), bytes: bytes.clone() }).await?;
                    out.send(Event::DataEnd { id }).await?;
                }
                Block::ToolCall(call) => {
                    let (call_id, name) = (call.id.clone(), call.name.clone());
                    out.send(Event::ToolCallStart { call_id: call_id.clone(), name }).await?;
                    let text = call.arguments.clone();
                    out.send(Event::ToolCallDelta { call_id: call_id.clone(), text }).await?;
                    out.send(Event::ToolCallEnd { call_id }).await?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Streams the parts of a result.
pub(super) async fn stream_parts(call_id: &str, parts: &[ResultPart], out: &Sink) -> Result<(), Error> {
    for part in parts {
        let call_id = call_id.to_owned();
        match part {
            ResultPart::Text { text } if text.is_empty() => {}
            ResultPart::Text { text } => {
                out.send(Event::ToolResultText { call_id, text: text.clone() }).await?;
            }
            ResultPart::Data(Data { media_type, source: DataSource::Bytes(bytes), .. }) => {
                let (media_type, bytes) = (media_type.clone(), bytes.clone());
                out.send(Event::ToolResultData { call_id, media_type, bytes }).await?;
            }
            // An address has no event of its own; its text is what a reader can be shown.
            ResultPart::Data(Data { source: DataSource::Url(url), .. }) => {
                out.send(Event::ToolResultText { call_id, text: url.clone() }).await?;
            }
            // Neither has a part of another kind; a reader is shown what a model is given.
            ResultPart::Other { json, .. } => {
                out.send(Event::ToolResultText { call_id, text: json.to_string() }).await?;
            }
        }
    }
    Ok(())
}

/// Whether the stream shows this message.
pub(super) fn shows(pieces: &[Piece], message: &Message) -> bool {
    let shown = pieces.iter().map(|piece| &piece.block).filter(|block| is_shown(block));
    let wanted = message.content.iter().filter(|block| is_shown(block));
    let mut count = 0;
    let pairs = wanted.clone().zip(shown.clone()).all(|(block, shown)| {
        count += 1;
        looks_like(block, shown)
    });
    pairs && wanted.count() == count && shown.count() == count
}

/// A content as a stream shows it: joined text, no names, addresses and other kinds as text.
fn as_shown(content: &[ResultPart]) -> Vec<ResultPart> {
    let mut shown = Vec::with_capacity(content.len());
    for part in content {
        match part {
            ResultPart::Text { text } if text.is_empty() => {}
            ResultPart::Text { text } => push_text(&mut shown, text),
            ResultPart::Data(Data { source: DataSource::Url(url), .. }) => push_text(&mut shown, url),
            ResultPart::Other { json, .. } => push_text(&mut shown, &json.to_string()),
            ResultPart::Data(data) => shown.push(ResultPart::Data(Data { name: None, ..data.clone() })),
        }
    }
    shown
}

/// What of a content is not shown yet; `None` when something else was shown.
fn remainder(content: &[ResultPart], shown: &[ResultPart]) -> Option<Vec<ResultPart>> {
    let content = as_shown(content);
    let Some((last, earlier)) = shown.split_last() else { return Some(content) };
    if content.get(..earlier.len())? != earlier {
        return None;
    }
    let rest = content.get(earlier.len()..)?;
    let (next, rest) = rest.split_first()?;
    match (next, last) {
        (ResultPart::Text { text }, ResultPart::Text { text: seen }) => {
            let more = text.strip_prefix(seen.as_str())?;
            let mut left = Vec::with_capacity(rest.len() + 1);
            left.push(ResultPart::text(more));
            left.extend_from_slice(rest);
            Some(left)
        }
        (next, last) if next == last => Some(rest.to_vec()),
        _ => None,
    }
}

/// The content as it went out: text that a filter changed is changed. What it hid as a whole is kept, since hiding a
/// result from a reader does not take it from the model.
fn filtered(content: Vec<ResultPart>, sent: &[ResultPart], went_out: Vec<ResultPart>) -> Vec<ResultPart> {
    if went_out.is_empty() || went_out == sent { content } else { went_out }
}
