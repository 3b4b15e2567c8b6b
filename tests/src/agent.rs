//! An agent of components, native tools and a scripted model, and everything that a reply told.

use std::fmt::Write as _;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cepa::agent::{Agent, AgentBuilder, ReplyItem, ReplyResult, ReplyStream};
use cepa::chain::{Note, NoteKind, Sink};
use cepa::error::Error;
use cepa::event::Event;
use cepa::message::{Block, Message, Role, ToolDefinition, ToolState, result_text};
use cepa::model::Model;
use cepa::models::ScriptedModel;
use cepa::request::ToolResponse;
use cepa::session::SessionData;
use cepa::tool::{Tool, ToolInvocation};
use cepa::world::TestWorld;
use serde_json::{Map, Value, json};

use crate::in_time;

type Answering = Pin<Box<dyn Future<Output = Result<ToolResponse, Error>> + Send>>;

/// A model that answers from this script.
///
/// # Panics
/// When it is no script.
pub fn model(script: &str) -> ScriptedModel {
    ScriptedModel::from_toml("test", script, Arc::new(TestWorld::new(1)))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// An agent with this model as `main`, the prompt `Be brief.`, and time and chance that repeat.
pub fn agent(model: &ScriptedModel) -> AgentBuilder {
    Agent::builder("tester")
        .system_prompt("Be brief.")
        .model("main", Arc::new(model.clone()) as Arc<dyn Model>)
        .world(Arc::new(TestWorld::new(7)))
}

/// A native tool that answers its name and arguments, counts its calls, and may park or hang.
#[derive(Clone)]
pub struct Echo {
    definition: ToolDefinition,
    calls: Arc<AtomicU32>,
    then: Then,
}

/// What a tool does once it was called.
#[derive(Clone, Copy, Debug)]
enum Then {
    Answer,
    Park,
    Hang,
}

impl Echo {
    /// A tool of this name that takes any arguments with a whole `x`, if there is one.
    pub fn new(name: &str) -> Self {
        let definition = ToolDefinition {
            name: name.to_owned(),
            description: format!("{name}s"),
            parameters: json!({ "type": "object", "properties": { "x": { "type": "integer" } } }),
            parallel: true,
            metadata: Map::new(),
        };
        Self { definition, calls: Arc::default(), then: Then::Answer }
    }

    /// The same, but it waits for someone outside.
    #[must_use]
    pub fn parking(mut self) -> Self {
        self.then = Then::Park;
        self
    }

    /// The same, but it says that it has begun, and never ends.
    #[must_use]
    pub fn hanging(mut self) -> Self {
        self.then = Then::Hang;
        self
    }

    /// How often it was called.
    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }

    async fn answer(self, invocation: ToolInvocation, out: Sink) -> Result<ToolResponse, Error> {
        match self.then {
            Then::Answer => {
                let text = format!("{} {}", self.definition.name, Value::Object(invocation.arguments));
                Ok(ToolResponse::text_answer(ToolState::Success, text))
            }
            Then::Park => Ok(ToolResponse::text_answer(ToolState::Parked, "")),
            Then::Hang => {
                let text = "begun".to_owned();
                out.send(Event::ToolResultText { call_id: invocation.call_id, text }).await?;
                std::future::pending().await
            }
        }
    }
}

impl Tool for Echo {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call(&self, invocation: ToolInvocation, out: Sink) -> Answering {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Box::pin(self.clone().answer(invocation, out))
    }
}

/// Everything that a reply told, and its result.
#[derive(Debug)]
pub struct Told {
    /// Its events, in order.
    pub events: Vec<Event>,
    /// Its notes, in order.
    pub notes: Vec<Note>,
    /// What it came to.
    pub result: ReplyResult,
}

impl Told {
    /// What the layers logged, each line with its layer's name.
    pub fn log(&self) -> String {
        let mut lines = String::new();
        for note in &self.notes {
            if let NoteKind::Log { message, .. } = &note.kind {
                writeln!(lines, "{}: {message}", note.layer).expect("a text can be written to");
            }
        }
        lines
    }

    /// The notes that are no log lines.
    pub fn marks(&self) -> Vec<&Note> {
        self.notes.iter().filter(|note| !matches!(note.kind, NoteKind::Log { .. })).collect()
    }

    /// The text that is left of the stream: what was withdrawn or replaced is gone.
    pub fn streamed(&self) -> String {
        let mut texts: Vec<(Option<&str>, String)> = Vec::new();
        let mut call = None;
        for event in &self.events {
            match event {
                Event::ModelCallStart { id, .. } => call = Some(id.as_str()),
                Event::ModelCallEnd { .. } => call = None,
                Event::TextDelta { text, .. } => texts.push((call, text.clone())),
                Event::Withdrawn { id } => texts.retain(|(call, _)| *call != Some(id)),
                Event::MessageReplaced { message } => texts = vec![(None, message.text())],
                _ => {}
            }
        }
        texts.into_iter().map(|(_, text)| text).collect()
    }
}

/// Reads a reply to its end.
pub async fn told(mut stream: ReplyStream) -> Told {
    let (mut events, mut notes) = (Vec::new(), Vec::new());
    while let Some(item) = in_time(stream.next()).await {
        match item {
            ReplyItem::Event(event) => events.push(event),
            ReplyItem::Note(note) => notes.push(note),
        }
    }
    Told { events, notes, result: in_time(stream.finish()).await }
}

/// A reply to a text in the session `s`, read to its end.
///
/// # Panics
/// When the reply can't begin.
pub async fn ask(agent: &Agent, text: &str) -> Told {
    told(agent.reply("s", text).await.expect("the reply begins")).await
}

/// Asks in the session `s`, aborts the reply at the first item that is the moment, and reads it to its end.
///
/// # Panics
/// When the reply can't begin, or the moment does not come.
pub async fn ask_and_abort(agent: &Agent, text: &str, moment: impl Fn(&ReplyItem) -> bool) -> Told {
    let mut stream = agent.reply("s", text).await.expect("the reply begins");
    while !moment(&in_time(stream.next()).await.expect("the moment comes")) {}
    stream.abort();
    told(stream).await
}

/// The session `s`.
///
/// # Panics
/// When it can't be loaded.
pub async fn session(agent: &Agent) -> SessionData {
    agent.sessions().load("s".to_owned()).await.expect("the session loads")
}

/// The stored conversation of the session `s`, a line a message.
pub async fn stored(agent: &Agent) -> Vec<String> {
    session(agent).await.messages.iter().map(line).collect()
}

/// A message in one line.
pub fn line(message: &Message) -> String {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let blocks: Vec<String> = message.content.iter().map(block).collect();
    format!("{role}: {}", blocks.join(" | "))
}

fn block(block: &Block) -> String {
    match block {
        Block::Text { text } => text.clone(),
        Block::Hint { source, text } => format!("[{source}: {text}]"),
        Block::ToolCall(call) => format!("{} = {}({})", call.id, call.name, call.arguments),
        Block::ToolResult(result) => {
            format!("{} {:?} {}", result.call_id, result.state, result_text(&result.content))
        }
        other => format!("{other:?}"),
    }
}
