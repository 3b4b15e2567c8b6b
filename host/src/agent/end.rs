//! The task of a reply, and how it ends on every path.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::Value;

use crate::chain::{Reply, Sink, endpoint_fn, guarded};
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Outcome};
use crate::message::{Message, Role, Usage};
use crate::request::{ReplyRequest, ReplyResponse, TurnSummary};
use crate::session::ReplyStatus;

use super::answers::Opening;
use super::board::Watch;
use super::conversation::Author;
use super::integrity;
use super::lanes::Lane;
use super::outcome::interrupted;
use super::stream::{Reader, ReplyResult};
use super::turn::Turn;
use super::waiting;

/// Runs a reply whose begin is stored, and ends it in good order whatever happens.
pub(super) async fn run(turn: Arc<Turn>, opening: Opening, reader: Arc<Reader>, lane: Lane) {
    let started = turn.context.world.monotonic();
    let watch = Watch { board: turn.board.clone(), reader: Arc::clone(&reader) };
    let (out, result) = match turn.unless_aborted(turn.chain.carry_to(watch)).await {
        Ok(out) => {
            let result = turn.run_open(opening, &reader, &out).await;
            (out, result)
        }
        Err(error) => {
            if opening.announced {
                reader.expect_start();
            }
            (Sink::discard(), Err(error))
        }
    };
    let mut response = turn.end(result, &out).await;
    turn.say_end(&response, &reader, &out).await;
    turn.chain.turn_end(&turn.summary(&response, started)).await;
    response.edit().usage = turn.settle_spending().await;
    reader.notes().await;
    let pending = match response.outcome {
        Outcome::Parked => waiting(&turn.conversation.open()),
        _ => Vec::new(),
    };
    turn.conversation.close().await;
    drop(lane);
    let (reply_id, layers) = (turn.context.reply_id.clone(), turn.context.ledger.lines());
    // Whoever sees the result finds the reply's hold on its layers gone.
    drop((turn, out));
    reader.done(ReplyResult { response, reply_id, pending, layers }).await;
}

impl Turn {
    /// Announces how the reply opens, and calls the chain around the loop.
    async fn run_open(
        self: &Arc<Self>,
        opening: Opening,
        reader: &Reader,
        out: &Sink,
    ) -> Result<ReplyResponse, Error> {
        if opening.announced {
            reader.expect_start();
            out.send(self.start_event()).await?;
        }
        self.unless_aborted(self.announce(&opening, out)).await?;
        let over = Arc::clone(&self.over);
        let sink = out.gated(move |_| !over.load(Ordering::SeqCst));
        let (turn, request) = (Arc::clone(self), opening.request);
        guarded("the reply", async move { turn.call_chain(request, sink).await }).await
    }

    async fn announce(&self, opening: &Opening, out: &Sink) -> Result<(), Error> {
        for open in opening.calls.iter().filter(|open| open.edited) {
            out.send(Event::ToolCallReplaced { call: open.call.clone() }).await?;
        }
        self.count_ended(opening.closed.len());
        for result in &opening.closed {
            self.announce_result(result.clone(), out).await?;
        }
        Ok(())
    }

    async fn call_chain(self: Arc<Self>, request: ReplyRequest, out: Sink) -> Result<ReplyResponse, Error> {
        let chain = self.chain.clone();
        let endpoint = endpoint_fn(move |request, out| Arc::clone(&self).drive(request, out));
        chain.call::<Reply>(request, endpoint, out).await
    }

    /// Brings stream and store to their end, and says what the reply came to.
    async fn end(self: &Arc<Self>, result: Result<ReplyResponse, Error>, out: &Sink) -> ReplyResponse {
        self.over.store(true, Ordering::SeqCst);
        self.conversation.seal().await;
        self.spending.close();
        match self.unless_failed(result) {
            Ok(response) if response.outcome == Outcome::Parked => {
                match self.set_status(ReplyStatus::Parked).await {
                    Ok(()) => response,
                    Err(error) => self.end_badly(error, out).await,
                }
            }
            Ok(response) if matches!(response.outcome, Outcome::Replied | Outcome::Silent) => {
                match self.end_well(response, out).await {
                    Ok(response) => response,
                    Err(error) => self.end_badly(self.cause(error), out).await,
                }
            }
            Ok(response) => {
                let error = response.error.clone().unwrap_or_else(no_cause);
                self.end_badly(error, out).await
            }
            Err(error) => self.end_badly(error, out).await,
        }
    }

    /// An answer goes out and is stored; with it the reply has ended.
    async fn end_well(
        self: &Arc<Self>,
        mut response: ReplyResponse,
        out: &Sink,
    ) -> Result<ReplyResponse, Error> {
        self.close_calls("the reply ended without it", out).await?;
        let (message, structured) =
            match response.message.clone().filter(|_| response.outcome == Outcome::Replied) {
                Some(message) => self.deliver(message, out).await?,
                None => {
                    self.withdraw(out).await?;
                    (None, None)
                }
            };
        let data = response.edit();
        data.outcome = if message.is_some() { Outcome::Replied } else { Outcome::Silent };
        data.message.clone_from(&message);
        data.structured_output = structured;
        data.usage = self.spending.total();
        data.steps = self.step();
        let step = self.step();
        self.conversation
            .commit(Author::Rim, move |edit| {
                if let Some(message) = message {
                    edit.append(message);
                }
                edit.update_record(|record| {
                    record.status = ReplyStatus::Ended;
                    record.step = step;
                });
                Ok(())
            })
            .await?;
        self.board.lock().clear_step();
        Ok(response)
    }

    /// The final message as it went out, if anything did, and as JSON if a schema was asked for. What a layer made
    /// outside the loop is checked and reviewed here.
    async fn deliver(
        self: &Arc<Self>,
        message: Message,
        out: &Sink,
    ) -> Result<(Option<Message>, Option<Value>), Error> {
        let mut message = self.conversation.named(message);
        message.role = Role::Assistant;
        integrity::check_final(&message)?;
        if !self.is_accepted(&message.content) {
            let structured = self.structured(&message)?;
            message = self.unless_aborted(self.review_once(message, structured)).await?;
        }
        let structured = self.structured(&message)?;
        let before = message.content.clone();
        let message = self.settle_message(message, out).await?;
        if let Some(failure) = self.board.lock().failure.clone() {
            return Err(failure);
        }
        // A filter may have changed what went out.
        let structured = if message.content == before { structured } else { self.structured(&message)? };
        Ok((Some(message).filter(|message| !message.content.is_empty()), structured))
    }

    /// Nothing more goes out: what is open is closed. Of an unfinished message an abort keeps what was shown, and a
    /// failure withdraws it.
    async fn end_badly(self: &Arc<Self>, error: Error, out: &Sink) -> ReplyResponse {
        let aborted = self.is_aborted();
        let why = if aborted { "the reply was aborted" } else { "the reply failed" };
        // The stream may be gone; the store comes first, and what can't be sent is not missed.
        let closed = self.close_calls(why, out).await;
        if !aborted {
            // The failure itself is what is told.
            let _ = self.withdraw(out).await;
            let _ = self.set_status(ReplyStatus::Ended).await;
            return self.failed(Outcome::Failed, Some(error));
        }
        let ended = self.end_interrupted(why, out).await;
        let own = [closed, ended].into_iter().filter_map(Result::err);
        let worse = own.into_iter().find(|error| error.kind != ErrorKind::Aborted);
        self.failed(Outcome::Aborted, worse)
    }

    /// Closes what is open: in the store first, then in the stream.
    async fn close_calls(&self, why: &'static str, out: &Sink) -> Result<(), Error> {
        if self.conversation.open().is_empty() {
            return Ok(());
        }
        let closed = self
            .conversation
            .commit(Author::Rim, move |edit| {
                let open = edit.view().open.clone();
                let closed: Vec<_> = open.iter().map(|open| interrupted(open, why)).collect();
                closed.iter().cloned().for_each(|result| {
                    edit.close_call(result);
                });
                Ok(closed)
            })
            .await?;
        self.count_ended(closed.len());
        for result in closed {
            self.announce_result(result, out).await?;
        }
        Ok(())
    }

    /// Stores what observers of the end have spent since the last write, and gives what the whole reply has. Waits for
    /// runs of sub-agents that were given up: each ends in good order, and its tokens count.
    async fn settle_spending(&self) -> Usage {
        self.runs.close();
        self.runs.wait().await;
        self.spending.close();
        // The reply has ended and said so: that its last tokens could not be stored is for the operator.
        if let Err(error) = self.conversation.commit(Author::Rim, |_| Ok(())).await {
            tracing::warn!("the tokens spent at the end of the reply could not be stored: {error}");
        }
        self.spending.total()
    }

    pub(super) async fn set_status(&self, status: ReplyStatus) -> Result<(), Error> {
        let step = self.step();
        self.conversation
            .commit(Author::Rim, move |edit| {
                edit.update_record(|record| {
                    record.status = status;
                    record.step = step;
                });
                Ok(())
            })
            .await
    }

    /// Sends `reply-end`: through the filters, or past them when the stream has broken.
    async fn say_end(&self, response: &ReplyResponse, reader: &Reader, out: &Sink) {
        reader.expect_end();
        let end = Event::ReplyEnd {
            reply_id: self.context.reply_id.clone(),
            outcome: response.outcome,
            error: response.error.clone(),
        };
        // When this fails the event is sent below.
        let _ = out.send(end.clone()).await;
        let _ = out.flush().await;
        reader.notes().await;
        if reader.lacks_start() {
            let start = self.start_event();
            if reader.admits(&start) {
                reader.event(start).await;
            }
        }
        if reader.admits(&end) {
            reader.event(end).await;
        }
    }

    fn start_event(&self) -> Event {
        Event::ReplyStart {
            reply_id: self.context.reply_id.clone(),
            session_id: self.context.session_id.clone(),
            agent_name: self.agent.name.clone(),
        }
    }

    fn summary(&self, response: &ReplyResponse, started: Duration) -> TurnSummary {
        let spent = self.context.world.monotonic().saturating_sub(started);
        TurnSummary {
            outcome: response.outcome,
            message: response.message.clone(),
            error: response.error.clone(),
            usage: response.usage.clone(),
            steps: response.steps,
            tool_calls: self.tool_calls.load(Ordering::SeqCst),
            duration_ms: u32::try_from(spent.as_millis()).unwrap_or(u32::MAX),
        }
    }

    /// The result, unless the reply was aborted or its stream broke meanwhile.
    fn unless_failed(&self, result: Result<ReplyResponse, Error>) -> Result<ReplyResponse, Error> {
        if self.is_aborted() {
            return Err(Error::aborted());
        }
        match self.board.lock().failure.clone() {
            Some(failure) => Err(failure),
            None => result,
        }
    }

    /// What an error comes from: a stream that broke makes every send fail.
    fn cause(&self, error: Error) -> Error {
        self.board.lock().failure.clone().unwrap_or(error)
    }

    /// Waits for a future, but not beyond an abort.
    async fn unless_aborted<T>(&self, future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        tokio::select! {
            biased;
            () = self.context.cancel.cancelled() => Err(Error::aborted()),
            result = future => result,
        }
    }
}

fn no_cause() -> Error {
    Error::new(ErrorKind::Other, "a layer ended the reply as failed and gave no cause")
}
