//! The begin of a reply: what is checked and stored before it runs.

use std::sync::Arc;

use crate::chain::within;
use crate::message::{Message, ToolChoice};
use crate::request::{self, ReplyRequest, ReplyRequestData};
use crate::session::{CallState, OpenCall, ReplyRecord, ReplyStatus, SessionData};

use super::answers::{self, Opening};
use super::conversation::{Author, Conversation};
use super::error::AgentError;
use super::input::{Answer, ReplyInput};
use super::lanes::Lane;
use super::lineup::{Lineup, Seat};
use super::outcome::interrupted;
use super::stream::ReplyStream;
use super::turn::{Outer, Turn};
use super::{Inner, awaits_answer, end, load, owner};

/// The longest id of a session, in bytes.
pub const SESSION_ID_MAX: usize = 128;

/// Why a call has no result that an earlier process made.
const DIED: &str = "the process ended before this call did";

/// Begins a new reply: a caller's, or the run of a sub-agent within the outer reply.
pub(super) async fn reply(
    agent: &Arc<Inner>,
    session_id: String,
    input: ReplyInput,
    outer: Option<Outer>,
) -> Result<ReplyStream, AgentError> {
    check_session_id(&session_id).map_err(AgentError::Input)?;
    let seat = agent.stage.sit().await;
    check_input(&seat, &input)?;
    let lane = agent.lanes.enter(&session_id, &*agent.sessions).await?;
    let data = load(agent, &session_id).await?;
    owner::check(agent, &session_id, &data, outer.as_ref())?;
    refuse_waiting(&session_id, &data, &input)?;

    let record = ReplyRecord {
        id: fresh_id(agent, &data),
        agent: owner::of(agent),
        status: ReplyStatus::Running,
        base: 0,
        step: 0,
        output_schema: input.output_schema,
        tool_choice: input.tool_choice,
        actor: input.actor,
        metadata: input.metadata,
    };
    let left = data.reply.as_ref().filter(|reply| reply.status != ReplyStatus::Ended);
    let died = left.is_some_and(|reply| reply.status == ReplyStatus::Running);
    let why = if died { DIED } else { "the conversation went on without it" };
    let closed = data.open_calls.iter().map(|open| interrupted(open, why)).collect();
    let request = request(&record, input.messages.clone(), false);
    let opening = Opening { request, announced: true, closed, ..Opening::default() };
    start(agent, (lane, seat), data, record, opening, input.messages, outer).await
}

/// Goes on with a reply.
pub(super) async fn resume(
    agent: &Arc<Inner>,
    session_id: String,
    answers: Vec<Answer>,
) -> Result<ReplyStream, AgentError> {
    check_session_id(&session_id).map_err(AgentError::Input)?;
    let seat = agent.stage.sit().await;
    let lane = agent.lanes.enter(&session_id, &*agent.sessions).await?;
    let data = load(agent, &session_id).await?;
    owner::check(agent, &session_id, &data, None)?;
    let Some(mut record) = data.reply.clone().filter(|reply| reply.status != ReplyStatus::Ended) else {
        return Err(AgentError::NothingToResume(session_id));
    };
    if record.status == ReplyStatus::Parked && answers.is_empty() {
        return Err(AgentError::Waiting { session: session_id, calls: names(&data.open_calls) });
    }
    let mut opening = answers::plan(&seat, &session_id, &data.open_calls, answers)?;
    let running = data.open_calls.iter().filter(|open| open.state == CallState::Running);
    opening.closed.extend(running.map(|open| interrupted(open, DIED)));
    record.status = ReplyStatus::Running;
    opening.request = request(&record, Vec::new(), true);
    start(agent, (lane, seat), data, record, opening, Vec::new(), None).await
}

/// Stores the begin in one batch, and lets the reply run.
async fn start(
    agent: &Arc<Inner>,
    (lane, seat): (Lane, Seat),
    data: SessionData,
    mut record: ReplyRecord,
    opening: Opening,
    input: Vec<Message>,
    outer: Option<Outer>,
) -> Result<ReplyStream, AgentError> {
    let session_id = lane.session_id().to_owned();
    let conversation =
        Conversation::new(session_id, data, Arc::clone(&agent.sessions), Arc::clone(&agent.world));
    let (calls, closed) = (opening.calls.clone(), opening.closed.clone());
    let (record, input) = conversation
        .commit(Author::Loop, move |edit| {
            for open in calls {
                edit.replace_call(&open.call);
                edit.put_call(open);
            }
            for result in closed {
                edit.close_call(result);
            }
            let base = edit.view().messages.len();
            if !input.is_empty() {
                record.base = u32::try_from(base).unwrap_or(u32::MAX);
            }
            edit.put_record(record.clone());
            for message in input {
                edit.append(message);
            }
            let input = edit.view().messages.iter().skip(base).map(|message| message.id.clone()).collect();
            Ok((record, input))
        })
        .await
        .map_err(AgentError::Write)?;

    let generation = seat.generation;
    let turn = Turn::new(Arc::clone(agent), seat, &record, conversation, input, outer);
    let (cancel, ledger) = (turn.context.cancel.clone(), Arc::clone(&turn.context.ledger));
    let (stream, reader) = ReplyStream::new(record.id, generation, cancel, ledger);
    let outer_runs = turn.outer.as_ref().map(|outer| outer.runs.clone());
    let run = end::run(turn, opening, reader, lane);
    match outer_runs {
        Some(runs) => tokio::spawn(runs.track_future(within(run))),
        None => tokio::spawn(run),
    };
    Ok(stream)
}

fn request(record: &ReplyRecord, input: Vec<Message>, resumed: bool) -> ReplyRequest {
    ReplyRequest::new(ReplyRequestData {
        input,
        resumed,
        output_schema: record.output_schema.clone(),
        tool_choice: record.tool_choice.clone(),
        metadata: record.metadata.clone(),
    })
}

/// Refuses an id that no session can have: it must be a word that a person can read and write in one line.
///
/// # Errors
/// What is wrong with it.
pub fn check_session_id(id: &str) -> Result<(), String> {
    if id.trim().is_empty() {
        return Err("the session's id is empty".to_owned());
    }
    if id.len() > SESSION_ID_MAX {
        return Err(format!("the session's id has {} bytes, and {SESSION_ID_MAX} is the limit", id.len()));
    }
    if id.contains(char::is_control) {
        return Err("the session's id has a control character, such as a line end".to_owned());
    }
    Ok(())
}

fn refuse_waiting(session_id: &str, data: &SessionData, input: &ReplyInput) -> Result<(), AgentError> {
    let waits = data.open_calls.iter().any(|open| awaits_answer(open.state));
    if waits && !input.discard_pending {
        let calls = names(&data.open_calls);
        return Err(AgentError::Waiting { session: session_id.to_owned(), calls });
    }
    Ok(())
}

/// The waiting calls, for a person.
fn names(open: &[OpenCall]) -> String {
    let waiting = open.iter().filter(|open| awaits_answer(open.state));
    waiting.map(|open| format!("`{}` ({})", open.call.id, open.call.name)).collect::<Vec<_>>().join(", ")
}

/// An id that the session's last reply does not have: a repeated one would pass for its continuation.
fn fresh_id(agent: &Inner, data: &SessionData) -> String {
    loop {
        let id = agent.world.id();
        if data.reply.as_ref().is_none_or(|reply| reply.id != id) {
            return id;
        }
    }
}

fn check_input(lineup: &Lineup, input: &ReplyInput) -> Result<(), AgentError> {
    let fail = |cause: String| Err(AgentError::Input(cause));
    request::check_input(&input.messages).or_else(fail)?;
    if let Some(schema) = &input.output_schema
        && let Err(error) = jsonschema::validator_for(schema)
    {
        return fail(format!("the output schema is no JSON Schema: {error}"));
    }
    match &input.tool_choice {
        ToolChoice::Named(name) if lineup.tools.get(name).is_none() => {
            fail(format!("the tool choice names `{name}`, and there is no such tool"))
        }
        _ => Ok(()),
    }
}
