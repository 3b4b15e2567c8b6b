//! Uses the capabilities that its configuration names, around a reply, and logs what each use came to.

use cepa_sdk::http::{HttpRequest, fetch, read_all};
use cepa_sdk::{
    ContentBlock, Error, Message, Middleware, ModelRequest, OnReply, ReplyNext, ReplyRequest, ReplyResponse,
    ResultPart, Role, Sink, ToolResult, ToolState, clock, context, conversation, info, models, random, state,
    tools,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// How long a value lasts.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Scope {
    Reply,
    Session,
    Layer,
}

impl From<Scope> for state::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Reply => Self::Reply,
            Scope::Session => Self::Session,
            Scope::Layer => Self::Layer,
        }
    }
}

/// A message to put into the conversation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Said {
    User(String),
    Assistant(String),
    System(String),
    /// The result of the call with this id.
    Result(String),
}

/// One use of a capability.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Use {
    Get(Scope, String),
    Set(Scope, String, String),
    Delete(Scope, String),
    Keys(Scope, String),
    CompareAndSet(Scope, String, Option<String>, Option<String>),
    Increment(Scope, String, f64),
    /// Sets a value of so many bytes under a key of so many bytes.
    SetLong(Scope, usize, usize),
    Aliases,
    Complete(String, String),
    Catalogue,
    Offer(String),
    Withhold(String),
    Call(String, String),
    Count,
    Read(u32, u32),
    Replace(u32, u32, Vec<Said>),
    Who,
    Sleep(u32),
    RandomBytes(u32),
    Chance,
    /// Method, address, headers and body.
    Fetch(String, String, Vec<(String, String)>, String),
}

/// What is used.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// Before the reply runs.
    before: Vec<Use>,
    /// After it.
    after: Vec<Use>,
}

/// The middleware.
pub struct Uses(Config);

impl Middleware for Uses {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

fn message(said: &Said) -> Message {
    match said {
        Said::User(text) => Message::user(text),
        Said::Assistant(text) => Message::assistant(text),
        Said::System(text) => Message::new(Role::System, vec![ContentBlock::Text(text.clone())]),
        Said::Result(call_id) => {
            let content = vec![ResultPart::Text("made up".to_owned())];
            let (call_id, name, state) = (call_id.clone(), "made-up".to_owned(), ToolState::Success);
            let result = ToolResult { call_id, name, state, content };
            Message::new(Role::Tool, vec![ContentBlock::ToolResult(result)])
        }
    }
}

fn replace(start: u32, end: u32, said: &[Said]) -> Result<String, Error> {
    let messages: Vec<Message> = said.iter().map(message).collect();
    conversation::replace(start, end, &messages)?;
    Ok("replaced".to_owned())
}

fn complete(alias: &str, text: &str) -> Result<String, Error> {
    let request = ModelRequest::new(alias);
    request.push_message(&Message::user(text))?;
    let response = models::complete(request)?;
    Ok(format!("{} says {:?}", response.model(), response.text()))
}

fn who() -> String {
    format!(
        "layer {} of agent {} in session {}, for {:?}, step {}; a reply id of {} bytes; config of {} bytes",
        context::layer_name(),
        context::agent_name(),
        context::session_id(),
        context::actor(),
        context::step(),
        context::reply_id().len(),
        context::config().len(),
    )
}

fn sleep(milliseconds: u32) -> String {
    info!("sleeping");
    let (before, began) = (clock::now_ms(), clock::monotonic_us());
    clock::sleep(milliseconds);
    format!("slept {} ms, or {} us", clock::now_ms() - before, clock::monotonic_us() - began)
}

fn chance() -> String {
    let uuids = (random::uuid(), random::uuid());
    let numbers = (random::number(), random::number());
    let version = uuids.0.as_bytes().get(14).copied().map(char::from);
    format!("version {version:?}, differ: {} {}", uuids.0 != uuids.1, numbers.0 != numbers.1)
}

fn ask(method: &str, url: &str, headers: &[(String, String)], body: &str) -> Result<String, Error> {
    let request = HttpRequest::create(method, url)?;
    for (name, value) in headers {
        request.add_header(name, value)?;
    }
    if !body.is_empty() {
        request.set_body(body.as_bytes())?;
    }
    request.set_timeout(10_000);
    let answer = fetch(request)?;
    let body = String::from_utf8_lossy(&read_all(&answer, 1_000)?).into_owned();
    Ok(format!("{} {:?} {body:?}", answer.status(), answer.header("X-Echo")))
}

impl Use {
    fn run(&self) -> Result<String, Error> {
        Ok(match self {
            Self::Get(scope, key) => format!("{:?}", state::get((*scope).into(), key)?),
            Self::Set(scope, key, value) => format!("{:?}", state::set((*scope).into(), key, value)?),
            Self::Delete(scope, key) => format!("{:?}", state::delete((*scope).into(), key)?),
            Self::Keys(scope, prefix) => format!("{:?}", state::keys((*scope).into(), prefix)?),
            Self::CompareAndSet(scope, key, expected, value) => {
                let (expected, value) = (expected.as_deref(), value.as_deref());
                format!("{:?}", state::compare_and_set((*scope).into(), key, expected, value)?)
            }
            Self::Increment(scope, key, delta) => {
                format!("{:?}", state::increment((*scope).into(), key, *delta)?)
            }
            Self::SetLong(scope, key, value) => {
                format!("{:?}", state::set((*scope).into(), &"k".repeat(*key), &"v".repeat(*value))?)
            }
            Self::Aliases => format!("{:?}", models::aliases()?),
            Self::Complete(alias, text) => complete(alias, text)?,
            Self::Catalogue => {
                let names: Vec<String> = tools::catalogue()?.into_iter().map(|tool| tool.name).collect();
                format!("{names:?}")
            }
            Self::Offer(name) => format!("{:?}", tools::offer(name)?),
            Self::Withhold(name) => format!("{:?}", tools::withhold(name)?),
            Self::Call(name, arguments) => {
                let response = tools::call(name, arguments)?;
                format!("{:?} {:?}", response.state(), response.text())
            }
            Self::Count => format!("{:?}", conversation::count()?),
            Self::Read(start, end) => {
                let texts: Vec<String> =
                    conversation::read(*start, *end)?.iter().map(Message::text).collect();
                format!("{texts:?}")
            }
            Self::Replace(start, end, said) => replace(*start, *end, said)?,
            Self::Who => who(),
            Self::Sleep(milliseconds) => sleep(*milliseconds),
            Self::RandomBytes(count) => format!("{} bytes", random::bytes(*count)?.len()),
            Self::Chance => chance(),
            Self::Fetch(method, url, headers, body) => ask(method, url, headers, body)?,
        })
    }
}

fn run_all(uses: &[Use]) {
    for one in uses {
        match one.run() {
            Ok(value) => info!("{one:?}: {value}"),
            Err(error) => info!("{one:?}: {:?} {:?} {}", error.kind, error.code, error.message),
        }
    }
}

impl OnReply for Uses {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        run_all(&self.0.before);
        let response = next.run(request);
        run_all(&self.0.after);
        response
    }
}

cepa_sdk::export!(Uses: OnReply);
