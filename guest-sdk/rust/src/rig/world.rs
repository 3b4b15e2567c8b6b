//! What a middleware finds around it in a test.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::backend::agents::AgentRunData;
use crate::backend::http::{HttpRequestData, HttpResponseData};
use crate::backend::index::{Document, Scope as IndexScope};
use crate::backend::log::Level;
use crate::backend::requests::ModelRequestData;
use crate::backend::state::Scope;
use crate::backend::telemetry::{CountData, SpanData};
use crate::backend::workspace::Mount;
use crate::{Error, ErrorKind, Message, ModelResponse, ToolDefinition, ToolResponse};

/// A group of imports that an operator grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is an interface of wit/capabilities.wit")]
pub enum Capability {
    State,
    Models,
    Tools,
    Conversation,
    Workspace,
    Index,
    Http,
    Telemetry,
    Agents,
}

/// Everything that imports read and write. All is granted until a test says otherwise.
#[derive(Debug)]
pub struct World {
    /// What `context::config` gives.
    pub config: String,
    /// What `context::layer_name` gives.
    pub layer_name: String,
    /// What `context::agent_name` gives.
    pub agent_name: String,
    /// What `context::session_id` gives.
    pub session_id: String,
    /// What `context::reply_id` gives.
    pub reply_id: String,
    /// What `context::step` gives.
    pub step: u32,
    /// What `context::actor` gives.
    pub actor: Option<String>,
    /// The log, in order.
    pub log: Vec<(Level, String)>,
    /// The time, in milliseconds since 1970. Starts at 2026-01-01T00:00:00Z.
    pub now_ms: u64,
    /// Milliseconds since the rig was made.
    pub elapsed_ms: u64,
    /// Every wait, in milliseconds.
    pub slept: Vec<u32>,
    /// Random numbers to come; when they run out, a fixed sequence follows.
    pub numbers: VecDeque<u32>,
    /// The state by scope and key.
    pub state: BTreeMap<(Scope, String), String>,
    /// The model aliases.
    pub aliases: Vec<String>,
    /// What `models::complete` answers, in order.
    pub completions: VecDeque<Result<ModelResponse, Error>>,
    /// What was asked of `models::complete`.
    pub completed: Vec<ModelRequestData>,
    /// The tools.
    pub catalogue: Vec<ToolDefinition>,
    /// The names of the tools that are offered.
    pub offered: BTreeSet<String>,
    /// What `tools::call` answers, in order.
    pub tool_answers: VecDeque<Result<ToolResponse, Error>>,
    /// The tools that were called, each with its arguments.
    pub called: Vec<(String, String)>,
    /// The conversation.
    pub conversation: Vec<Message>,
    /// The mounts: `work`, which may be changed, until a test says otherwise.
    pub mounts: Vec<Mount>,
    /// The files by their paths.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The folders by their paths, mounts left out.
    pub folders: BTreeSet<String>,
    /// The documents by scope, collection and id.
    pub documents: BTreeMap<(IndexScope, String, String), Document>,
    /// What `http::fetch` answers, in order.
    pub http_answers: VecDeque<Result<HttpResponseData, Error>>,
    /// The requests that were sent.
    pub fetched: Vec<HttpRequestData>,
    /// The sub-agents.
    pub agents: Vec<String>,
    /// What runs of them come to, in order.
    pub agent_runs: VecDeque<Result<AgentRunData, Error>>,
    /// The runs that were asked for: agent, thread and prompt.
    pub agent_calls: Vec<(String, Option<String>, String)>,
    /// The spans, in the order of their begins.
    pub spans: Vec<SpanData>,
    /// What was added to counters, in order.
    pub counts: Vec<CountData>,
    /// What is not granted.
    pub denied: BTreeSet<Capability>,
    seed: u32,
}

impl World {
    fn new() -> Self {
        Self {
            config: String::new(),
            layer_name: "layer".to_owned(),
            agent_name: "assistant".to_owned(),
            session_id: "session".to_owned(),
            reply_id: "reply".to_owned(),
            step: 1,
            actor: None,
            log: Vec::new(),
            now_ms: 1_767_225_600_000,
            elapsed_ms: 0,
            slept: Vec::new(),
            numbers: VecDeque::new(),
            state: BTreeMap::new(),
            aliases: Vec::new(),
            completions: VecDeque::new(),
            completed: Vec::new(),
            catalogue: Vec::new(),
            offered: BTreeSet::new(),
            tool_answers: VecDeque::new(),
            called: Vec::new(),
            conversation: Vec::new(),
            mounts: vec![Mount { name: "work".to_owned(), writable: true }],
            files: BTreeMap::new(),
            folders: BTreeSet::new(),
            documents: BTreeMap::new(),
            http_answers: VecDeque::new(),
            fetched: Vec::new(),
            agents: Vec::new(),
            agent_runs: VecDeque::new(),
            agent_calls: Vec::new(),
            spans: Vec::new(),
            counts: Vec::new(),
            denied: BTreeSet::new(),
            seed: 0x2545_F491,
        }
    }

    /// Moves the time on.
    pub fn advance(&mut self, milliseconds: u32) {
        self.now_ms = self.now_ms.saturating_add(milliseconds.into());
        self.elapsed_ms = self.elapsed_ms.saturating_add(milliseconds.into());
    }

    /// The next random number.
    pub(crate) fn number(&mut self) -> u32 {
        self.numbers.pop_front().unwrap_or_else(|| {
            // Xorshift: enough for tests, which need other numbers and not good ones.
            self.seed ^= self.seed << 13;
            self.seed ^= self.seed >> 17;
            self.seed ^= self.seed << 5;
            self.seed
        })
    }
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::new(World::new());
}

/// A world as new, for this thread.
pub(super) fn reset() {
    WORLD.with_borrow_mut(|world| *world = World::new());
}

/// Looks at or changes this thread's world.
pub fn with<T>(then: impl FnOnce(&mut World) -> T) -> T {
    WORLD.with_borrow_mut(then)
}

/// The same where the capability is granted.
pub(crate) fn granted<T>(capability: Capability, then: impl FnOnce(&mut World) -> T) -> Result<T, Error> {
    with(|world| {
        if world.denied.contains(&capability) {
            let name = format!("{capability:?}").to_lowercase();
            return Err(Error::new(ErrorKind::Denied, format!("`{name}` is not granted")).code(&name));
        }
        Ok(then(world))
    })
}
