//! Runs the sub-agents that its configuration names, before a reply runs, and logs what each run came to.

use cepa_sdk::{
    Error, Middleware, OnReply, ReplyNext, ReplyRequest, ReplyResponse, Sink, agents, info, state,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Where a run takes place.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Thread {
    /// In a new thread, which is kept for later ones.
    New,
    /// In the thread that was kept.
    Kept,
    /// In one of a made-up name.
    MadeUp,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    /// Agent, thread, prompt.
    runs: Vec<(String, Thread, String)>,
    /// How often to repeat the prompt.
    times: usize,
}

struct Delegate(Config);

impl Middleware for Delegate {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

const THREAD: &str = "thread";

fn run(agent: &str, thread: Thread, prompt: &str) -> Result<String, Error> {
    let kept = match thread {
        Thread::New => None,
        Thread::Kept => state::get(state::Scope::Session, THREAD)?,
        Thread::MadeUp => Some("made-up".to_owned()),
    };
    let run = agents::run(agent, kept.as_deref(), prompt)?;
    if kept.is_none() {
        // Without the grant there is nothing to go on with.
        let _ = state::set(state::Scope::Session, THREAD, &run.thread());
    }
    let tokens = run.usage().input_tokens;
    let why = run.error().map(|error| error.message);
    Ok(format!("{:?} {:?} in {} steps, {tokens:?} tokens, {why:?}", run.outcome(), run.text(), run.steps()))
}

impl OnReply for Delegate {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        match agents::names() {
            Ok(names) => info!("{names:?}"),
            Err(error) => info!("{:?} {}", error.kind, error.message),
        }
        for (agent, thread, prompt) in &self.0.runs {
            match run(agent, *thread, &prompt.repeat(self.0.times.max(1))) {
                Ok(run) => info!("{agent}: {run}"),
                Err(error) => info!("{agent}: {:?} {:?} {}", error.kind, error.code, error.message),
            }
        }
        next.run(request)
    }
}

cepa_sdk::export!(Delegate: OnReply);
