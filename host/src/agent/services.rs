//! What the agent does for its layers during one reply.

use std::sync::{Arc, OnceLock, Weak};

use futures::future::BoxFuture;

use crate::chain::{NoteKind, Sink, nested, nesting};
use crate::error::{Error, ErrorKind};
use crate::index::Index;
use crate::message::{Message, Role, ToolCall, ToolDefinition, ToolState};
use crate::request::{Messages, ModelRequest, ModelResponse, Permission, ToolResponse};
use crate::services::{AgentCall, AgentRun, Services, StateStore};

use super::Inner;
use super::conversation::{Author, Conversation};
use super::edit::Edit;
use super::integrity;
use super::lineup::Lineup;
use super::turn::Turn;

/// How many tool calls of layers may stand inside one another, since a call's check can reach the caller again.
const NESTED_MAX: u32 = 8;

/// The capabilities of one reply's layers.
pub(super) struct ReplyServices {
    agent: Arc<Inner>,
    lineup: Arc<Lineup>,
    conversation: Arc<Conversation>,
    /// The reply, which owns this through its context.
    turn: OnceLock<Weak<Turn>>,
}

impl ReplyServices {
    pub(super) fn new(agent: Arc<Inner>, lineup: Arc<Lineup>, conversation: Arc<Conversation>) -> Self {
        Self { agent, lineup, conversation, turn: OnceLock::new() }
    }

    /// Serves this reply from now on.
    pub(super) fn serve(&self, turn: &Arc<Turn>) {
        // Set once, right after the reply was made.
        let _ = self.turn.set(Arc::downgrade(turn));
    }

    fn turn(&self) -> Result<Arc<Turn>, Error> {
        self.turn.get().and_then(Weak::upgrade).ok_or_else(Error::aborted)
    }

    /// Refuses a tool that is not there, without a list of those that are: the layer may know only some of them.
    fn check_tool(&self, name: &str) -> Result<(), Error> {
        match self.lineup.tools.get(name) {
            Some(_) => Ok(()),
            None => Err(Error::new(ErrorKind::NotFound, format!("no tool `{name}` in the catalogue"))),
        }
    }

    fn offered(&self, name: &str, offered: bool) -> Result<(), Error> {
        self.check_tool(name)?;
        self.turn()?.set_withheld(name, !offered);
        Ok(())
    }
}

impl Services for ReplyServices {
    fn aliases(&self) -> Vec<String> {
        self.agent.models.keys().cloned().collect()
    }

    fn complete(&self, mut request: ModelRequest) -> BoxFuture<'_, Result<ModelResponse, Error>> {
        Box::pin(async move {
            let turn = self.turn()?;
            request.edit().internal = true;
            let cancel = turn.context.cancel.clone();
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(Error::aborted()),
                response = turn.ask_model(request, Sink::discard()) => response,
            }
        })
    }

    fn catalogue(&self) -> Arc<Vec<ToolDefinition>> {
        self.lineup.tools.catalogue()
    }

    fn offer(&self, name: &str) -> Result<(), Error> {
        self.offered(name, true)
    }

    fn withhold(&self, name: &str) -> Result<(), Error> {
        self.offered(name, false)
    }

    fn call_tool(
        &self,
        layer: String,
        name: String,
        arguments: String,
    ) -> BoxFuture<'_, Result<ToolResponse, Error>> {
        Box::pin(async move {
            self.check_tool(&name)?;
            let turn = self.turn()?;
            let depth = nesting() + 1;
            if depth > NESTED_MAX {
                return Err(Error::limit("nested-tool-calls", NESTED_MAX, depth));
            }
            let call = call_tool(Arc::clone(&turn), layer.clone(), name.clone(), arguments);
            let result = nested("a layer's tool call", call).await;
            turn.context.ledger.note(&layer, NoteKind::ToolCall { tool: name, outcome: outcome(&result) });
            result
        })
    }

    fn conversation(&self) -> Messages {
        self.conversation.messages()
    }

    fn replace(&self, start: u32, end: u32, messages: Vec<Message>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            let turn = self.turn()?;
            let replaced =
                self.conversation.commit(Author::Rim, move |edit| replace(edit, start, end, messages));
            // What a layer made of the conversation holds in a second run as well.
            turn.keep(replaced.await?);
            Ok(())
        })
    }

    fn state(&self) -> Arc<dyn StateStore> {
        self.agent.sessions.state()
    }

    fn agents(&self) -> Vec<String> {
        self.turn().map(|turn| turn.roster.keys().cloned().collect()).unwrap_or_default()
    }

    fn run_agent(&self, layer: String, call: AgentCall) -> BoxFuture<'_, Result<AgentRun, Error>> {
        Box::pin(async move { self.turn()?.run_agent(&layer, call).await })
    }

    fn index(&self) -> Arc<Index> {
        Arc::clone(&self.agent.index)
    }
}

/// Replaces a range, and gives the ids of what stands there now. A refused change changes nothing.
fn replace(edit: &mut Edit, start: u32, end: u32, messages: Vec<Message>) -> Result<Vec<String>, Error> {
    let count = edit.view().messages.len();
    let (from, to) = (start as usize, end as usize);
    if from > to || to > count {
        let range = format!("messages {start} to {end} are out of range: there are {count} messages");
        return Err(Error::invalid(range));
    }
    if messages.iter().any(|message| message.role == Role::System) {
        return Err(Error::invalid("a system message belongs into no stored conversation"));
    }
    let fresh = messages.len();
    edit.replace(from, to, messages);
    integrity::check(edit.view().messages.iter().map(|message| &**message), &edit.view().open)?;
    edit.update_record(|record| {
        record.base = moved(record.base, start, end, u32::try_from(fresh).unwrap_or(u32::MAX));
    });
    let now = edit.view().messages.iter().skip(from).take(fresh);
    Ok(now.map(|message| message.id.clone()).collect())
}

/// Where an index stands after a range before it was replaced.
fn moved(at: u32, start: u32, end: u32, fresh: u32) -> u32 {
    if at >= end { at - (end - start) + fresh } else { at.min(start.saturating_add(fresh)) }
}

/// Runs a tool for a layer: vetted and authorised as a model's call is, and stored nowhere.
async fn call_tool(
    turn: Arc<Turn>,
    layer: String,
    name: String,
    arguments: String,
) -> Result<ToolResponse, Error> {
    let call = ToolCall { id: turn.context.world.id(), name, arguments };
    let all = turn.lineup.tools.catalogue();
    let parsed = turn.vet(&call, &all, false).map_err(Error::invalid)?;
    if turn.is_external(&call.name) {
        let text = format!("a program outside runs tool `{}`, so that a layer can't wait for it", call.name);
        return Err(Error::new(ErrorKind::Unsupported, text));
    }
    let decision = turn.authorise(&call, &parsed, false, &Sink::discard()).await?;
    match decision.permission {
        Permission::Allow => {}
        Permission::Deny => return Err(Error::new(ErrorKind::Denied, decision.reason)),
        Permission::Ask => {
            let text = format!("tool `{}` needs a person's confirmation, which a layer can't get", call.name);
            return Err(Error::new(ErrorKind::Denied, text));
        }
    }
    let response = turn.act_for(&layer, call, all, parsed).await?;
    if response.state == ToolState::Parked {
        return Err(Error::new(ErrorKind::Unsupported, "the tool wants to wait, which a layer can't"));
    }
    Ok(response)
}

/// What came of a layer's own tool call, for the operator.
fn outcome(result: &Result<ToolResponse, Error>) -> String {
    match result {
        Ok(response) => match response.state {
            ToolState::Success => "success".to_owned(),
            ToolState::Denied => "denied".to_owned(),
            ToolState::Error | ToolState::Interrupted | ToolState::Parked => "error".to_owned(),
        },
        Err(error) => format!("no result: {error}"),
    }
}
