//! What the tests are made of: a model that says what it is told to, tools, and a readable record of a reply.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::future::Future;
use std::sync::{Arc, Mutex};

use cepa::agent::{Agent, AgentBuilder, PermissionRules, ReplyItem, ReplyResult, ReplyStream};
use cepa::chain::Sink;
use cepa::error::Error;
use cepa::event::Event;
use cepa::message::{
    Block, FinishReason, Message, ResultPart, Role, ToolCall, ToolDefinition, ToolState, Usage,
};
use cepa::model::Model;
use cepa::request::{ModelRequest, ModelResponse, ToolResponse};
use cepa::session::{SessionData, SessionStore};
use cepa::tool::{Tool, ToolInvocation};
use cepa::world::TestWorld;
use futures::future::BoxFuture;
use serde_json::{Value, json};

/// One answer of a [`Script`].
#[derive(Clone, Debug)]
pub(crate) enum Say {
    /// These blocks, each in pieces of a few letters.
    Blocks(Vec<Block>, FinishReason),
    /// These blocks, then an error.
    Break(Vec<Block>, Error),
    /// These blocks, then nothing for ever.
    Hang(Vec<Block>),
    /// These blocks, the last one without its end, then nothing for ever.
    Stuck(Vec<Block>),
    /// A panic.
    Panic,
}

/// A model that gives its answers in order, and notes what it was asked.
#[derive(Debug, Default)]
pub(crate) struct Script {
    answers: Mutex<VecDeque<Say>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Script {
    pub(crate) fn new(answers: impl IntoIterator<Item = Say>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter().collect()), asked: Mutex::default() })
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Model for Script {
    fn provider(&self) -> &'static str {
        "scripted"
    }

    fn model_name(&self) -> &'static str {
        "script-1"
    }

    fn call(
        &self,
        request: ModelRequest,
        call_id: String,
        out: Sink,
    ) -> BoxFuture<'static, Result<ModelResponse, Error>> {
        self.asked.lock().unwrap().push(request);
        let say = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            if !matches!(say, Some(Say::Panic)) {
                out.spent(&usage());
            }
            match say.unwrap_or_else(|| panic!("the script has no further answer")) {
                Say::Blocks(blocks, finish) => {
                    stream(&blocks, &call_id, &out).await?;
                    let mut response = ModelResponse::answer(blocks);
                    response.edit().finish_reason = finish;
                    response.edit().usage = Some(usage());
                    Ok(response)
                }
                Say::Break(blocks, error) => {
                    stream(&blocks, &call_id, &out).await?;
                    Err(error)
                }
                Say::Hang(blocks) => {
                    stream(&blocks, &call_id, &out).await?;
                    std::future::pending().await
                }
                Say::Stuck(blocks) => {
                    let last = out.gated(is_no_end_of(blocks.last().cloned(), &call_id, blocks.len()));
                    stream(&blocks, &call_id, &last).await?;
                    std::future::pending().await
                }
                Say::Panic => panic!("the model broke"),
            }
        })
    }
}

fn usage() -> Usage {
    Usage { input_tokens: Some(10), output_tokens: Some(2), ..Usage::default() }
}

async fn stream(blocks: &[Block], call_id: &str, out: &Sink) -> Result<(), Error> {
    for (at, block) in blocks.iter().enumerate() {
        let id = format!("{call_id}.{at}");
        let (start, end): (Event, Event) = match block {
            Block::Text { .. } => (Event::TextStart { id: id.clone() }, Event::TextEnd { id: id.clone() }),
            Block::Thinking { .. } => {
                (Event::ThinkingStart { id: id.clone() }, Event::ThinkingEnd { id: id.clone() })
            }
            Block::ToolCall(call) => (
                Event::ToolCallStart { call_id: call.id.clone(), name: call.name.clone() },
                Event::ToolCallEnd { call_id: call.id.clone() },
            ),
            _ => continue,
        };
        out.send(start).await?;
        for text in pieces(block) {
            out.send(match block {
                Block::ToolCall(call) => Event::ToolCallDelta { call_id: call.id.clone(), text },
                Block::Thinking { .. } => Event::ThinkingDelta { id: id.clone(), text },
                _ => Event::TextDelta { id: id.clone(), text },
            })
            .await?;
        }
        out.send(end).await?;
    }
    Ok(())
}

/// Lets everything pass but the end of the last block.
fn is_no_end_of(last: Option<Block>, call_id: &str, count: usize) -> impl Fn(&Event) -> bool + use<> {
    let own = match last {
        Some(Block::ToolCall(call)) => call.id,
        _ => format!("{call_id}.{}", count.saturating_sub(1)),
    };
    move |event| match event {
        Event::TextEnd { id } | Event::ThinkingEnd { id } | Event::ToolCallEnd { call_id: id } => *id != own,
        _ => true,
    }
}

fn pieces(block: &Block) -> Vec<String> {
    let text = match block {
        Block::Text { text } | Block::Thinking { text, .. } => text,
        Block::ToolCall(call) => &call.arguments,
        _ => return Vec::new(),
    };
    text.chars().collect::<Vec<_>>().chunks(12).map(|piece| piece.iter().collect()).collect()
}

pub(crate) fn text(text: &str) -> Block {
    Block::Text { text: text.to_owned() }
}

pub(crate) fn thinking(text: &str) -> Block {
    Block::Thinking { text: text.to_owned(), signature: Some("sig".to_owned()) }
}

pub(crate) fn call(id: &str, name: &str, arguments: &Value) -> Block {
    raw_call(id, name, &arguments.to_string())
}

pub(crate) fn raw_call(id: &str, name: &str, arguments: &str) -> Block {
    Block::ToolCall(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
}

/// An answer of one text.
pub(crate) fn says(words: &str) -> Say {
    Say::Blocks(vec![text(words)], FinishReason::Stop)
}

/// An answer that calls tools.
pub(crate) fn calls<const N: usize>(blocks: [Block; N]) -> Say {
    Say::Blocks(blocks.into(), FinishReason::ToolCalls)
}

type Run = dyn Fn(ToolInvocation, Sink) -> BoxFuture<'static, Result<ToolResponse, Error>> + Send + Sync;

/// A tool of a function.
pub(crate) struct Double {
    definition: ToolDefinition,
    external: bool,
    run: Box<Run>,
}

impl Double {
    pub(crate) fn new<F, R>(name: &str, run: F) -> Self
    where
        F: Fn(ToolInvocation, Sink) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolResponse, Error>> + Send + 'static,
    {
        let definition = ToolDefinition {
            name: name.to_owned(),
            description: format!("{name}s something"),
            parameters: json!({
                "type": "object",
                "properties": { "x": { "type": "integer" } },
                "required": ["x"],
                "additionalProperties": false,
            }),
            parallel: true,
            metadata: serde_json::Map::new(),
        };
        Self {
            definition,
            external: false,
            run: Box::new(move |invocation, out| Box::pin(run(invocation, out))),
        }
    }

    /// A tool that answers its argument.
    pub(crate) fn echo(name: &str) -> Self {
        let own = name.to_owned();
        Self::new(name, move |invocation, _| {
            let x = invocation.arguments.get("x").cloned().unwrap_or_default();
            let own = own.clone();
            async move { Ok(ToolResponse::text_answer(ToolState::Success, format!("{own} {x}"))) }
        })
    }

    pub(crate) fn alone(mut self) -> Self {
        self.definition.parallel = false;
        self
    }

    pub(crate) fn external(mut self) -> Self {
        self.external = true;
        self
    }
}

impl Tool for Double {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn external(&self) -> bool {
        self.external
    }

    fn call(&self, invocation: ToolInvocation, out: Sink) -> BoxFuture<'static, Result<ToolResponse, Error>> {
        (self.run)(invocation, out)
    }
}

/// An agent with this model, time and chance that repeat, and the prompt `Be brief.`
pub(crate) fn agent(model: &Arc<Script>) -> AgentBuilder {
    Agent::builder("tester")
        .system_prompt("Be brief.")
        .model("main", Arc::clone(model) as Arc<dyn Model>)
        .world(Arc::new(TestWorld::new(7)))
}

/// Everything that a reply told, and its result.
pub(crate) struct Told {
    pub events: Vec<Event>,
    pub items: Vec<ReplyItem>,
    pub result: ReplyResult,
}

/// Reads a reply to its end.
pub(crate) async fn told(stream: ReplyStream) -> Told {
    told_after(Vec::new(), stream).await
}

/// Reads a reply to its end, of which these items were read before.
pub(crate) async fn told_after(mut items: Vec<ReplyItem>, mut stream: ReplyStream) -> Told {
    while let Some(item) = stream.next().await {
        items.push(item);
    }
    let events = items
        .iter()
        .filter_map(|item| match item {
            ReplyItem::Event(event) => Some(event.clone()),
            ReplyItem::Note(_) => None,
        })
        .collect();
    Told { events, items, result: stream.finish().await }
}

/// A reply to a text in the session `s`, read to its end.
pub(crate) async fn ask(agent: &Agent, text: &str) -> Told {
    told(agent.reply("s", text).await.expect("the reply begins")).await
}

/// Asks in the session `s`, aborts the reply at the first event that is the moment, and reads it to its end.
pub(crate) async fn ask_and_abort(agent: &Agent, text: &str, moment: impl Fn(&Event) -> bool) -> Told {
    let mut stream = agent.reply("s", text).await.expect("the reply begins");
    let mut items = Vec::new();
    while !items.last().is_some_and(|item| matches!(item, ReplyItem::Event(event) if moment(event))) {
        items.push(stream.next().await.expect("the moment comes"));
    }
    stream.abort();
    told_after(items, stream).await
}

/// The session `s`.
pub(crate) async fn stored(agent: &Agent) -> SessionData {
    stored_in(&**agent.sessions()).await
}

/// The session `s` of a store.
pub(crate) async fn stored_in(sessions: &dyn SessionStore) -> SessionData {
    sessions.load("s".to_owned()).await.expect("the session loads")
}

/// A reply and the session after it, as a text without chance in it.
pub(crate) fn transcript(told: &Told, session: &SessionData) -> String {
    let mut text = String::new();
    for item in &told.items {
        let line = match item {
            ReplyItem::Event(event) => serde_json::to_string(event),
            ReplyItem::Note(note) => serde_json::to_string(note),
        };
        writeln!(text, "{}", line.expect("an event is JSON")).unwrap();
    }
    let response = &told.result.response;
    writeln!(text, "= {:?} after {} steps: {:?}", response.outcome, response.steps, response.text()).unwrap();
    if let Some(structured) = &response.structured_output {
        writeln!(text, "= {structured}").unwrap();
    }
    for pending in &told.result.pending {
        writeln!(text, "? {} {} {}", pending.call.id, pending.call.name, pending.call.arguments).unwrap();
    }
    for message in &session.messages {
        writeln!(text, "{}", line(message)).unwrap();
    }
    for open in &session.open_calls {
        writeln!(text, "! {:?} {} {}", open.state, open.call.id, open.reason).unwrap();
    }
    masked(&text)
}

/// A message in one line.
pub(crate) fn line(message: &Message) -> String {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let blocks: Vec<String> = message.content.iter().map(block_line).collect();
    format!("{role}: {}", blocks.join(" | "))
}

fn block_line(block: &Block) -> String {
    match block {
        Block::Text { text } => text.clone(),
        Block::Thinking { text, .. } => format!("({text})"),
        Block::Hint { source, text } => format!("[{source}: {text}]"),
        Block::ToolCall(call) => format!("{} = {}({})", call.id, call.name, call.arguments),
        Block::ToolResult(result) => {
            let texts: Vec<String> = result
                .content
                .iter()
                .map(|part| match part {
                    ResultPart::Text { text } => text.clone(),
                    ResultPart::Data(data) => data.media_type.clone(),
                })
                .collect();
            format!("{} {:?} {}", result.call_id, result.state, texts.join(" + "))
        }
        other => format!("{other:?}"),
    }
}

/// Puts `#1`, `#2` … in the place of ids made by chance, by their first appearance.
pub(crate) fn masked(text: &str) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(id) = rest.get(..36).filter(|word| is_id(word)) {
            let at = known.iter().position(|seen| seen == id).unwrap_or_else(|| {
                known.push(id.to_owned());
                known.len() - 1
            });
            write!(result, "#{}", at + 1).unwrap();
            rest = &rest[36..];
        } else {
            result.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    result
}

fn is_id(word: &str) -> bool {
    word.char_indices().all(|(at, letter)| match at {
        8 | 13 | 18 | 23 => letter == '-',
        _ => letter.is_ascii_hexdigit(),
    })
}

/// What must hold of every reply that has ended, however it did.
pub(crate) fn assert_sound(told: &Told, session: &SessionData) {
    let ends = told.events.iter().filter(|event| matches!(event, Event::ReplyEnd { .. })).count();
    assert_eq!(ends, 1, "one reply-end: {:#?}", told.events);
    assert!(matches!(told.events.last(), Some(Event::ReplyEnd { .. })), "nothing follows the end");
    assert_whole(session);
}

/// The texts that the stream leaves standing are those that the session holds of the assistant.
pub(crate) fn assert_agree(told: &Told, session: &SessionData) {
    let mut texts: Vec<(Option<&str>, String)> = Vec::new();
    let mut call = None;
    for event in &told.events {
        match event {
            Event::ModelCallStart { id, .. } => call = Some(id.as_str()),
            Event::TextDelta { text, .. } => texts.push((call, text.clone())),
            Event::Withdrawn { id } => texts.retain(|(call, _)| *call != Some(id)),
            Event::MessageReplaced { message } => {
                texts.retain(|(own, _)| *own != call);
                texts.push((call, message.text()));
            }
            _ => {}
        }
    }
    let streamed: String = texts.into_iter().map(|(_, text)| text).collect();
    let said = session.messages.iter().filter(|message| message.role == Role::Assistant);
    assert_eq!(streamed, said.map(Message::text).collect::<String>(), "{:#?}", told.events);
}

/// Each call has one result behind it, in the order of the calls, unless it is open; and no result stands alone.
pub(crate) fn assert_whole(session: &SessionData) {
    let mut waiting: VecDeque<String> = VecDeque::new();
    let is_open = |id: &str| session.open_calls.iter().any(|open| open.call.id == id);
    for message in &session.messages {
        for result in message.tool_results() {
            while waiting.front().is_some_and(|id| *id != result.call_id && is_open(id)) {
                waiting.pop_front();
            }
            assert_eq!(waiting.pop_front().as_ref(), Some(&result.call_id), "{:#?}", session.messages);
        }
        if message.role != Role::Tool {
            assert!(waiting.iter().all(|id| is_open(id)), "unanswered: {waiting:?}");
            waiting.clear();
        }
        waiting.extend(message.tool_calls().map(|call| call.id.clone()));
    }
    assert!(waiting.iter().all(|id| is_open(id)), "unanswered: {waiting:?} in {:#?}", session.messages);
}

/// Rules that ask before these tools and allow all others.
pub(crate) fn ask_before(tools: &[&str]) -> PermissionRules {
    let ask = tools.iter().map(|tool| tool.parse().expect("a rule")).collect();
    PermissionRules { ask, ..PermissionRules::default() }
}
