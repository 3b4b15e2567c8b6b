//! Makes the mistakes that middlewares are made with, as its configuration says: the guest that the conformance kit sees through.

use std::sync::atomic::{AtomicU32, Ordering};

use cepa_sdk::{
    ContentBlock, Error, Event, EventKinds, Middleware, MigrateState, ModelNext, ModelRequest, ModelResponse,
    OnModelCall, OnReply, ReplyNext, ReplyRequest, ReplyResponse, Sink,
    state::{self, Scope},
};
use schemars::JsonSchema;
use serde::Deserialize;

/// What it does not care for.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Mistake {
    /// Nothing: it makes none.
    #[default]
    None,
    /// Takes a piece of text that is one character of several bytes for half of one, and drops it.
    DropsPieces,
    /// Takes for granted that the host does what it is asked.
    ExpectsTheHost,
    /// Locks the session around a reply, and gives up on a lock that an aborted reply has left.
    LeavesALock,
    /// Reads the whole conversation again and again.
    Rereads,
    /// Counts in its own memory.
    CountsInMemory,
    /// Can't take over the state that it left itself.
    RefusesItsState,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    mistake: Mistake,
}

struct Careless(Mistake);

/// Kept in guest memory, which promises nothing.
static COUNT: AtomicU32 = AtomicU32::new(0);

const LOCK: &str = "lock";

impl Middleware for Careless {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config.mistake))
    }
}

impl Careless {
    /// Sends the stream on, but for pieces that it does not understand. The answer is what it sent.
    fn relay(&self, request: ModelRequest, next: &ModelNext, out: &Sink) -> Result<ModelResponse, Error> {
        let (run, mut said) = (next.start(request), String::new());
        loop {
            let mut events = run.next(EventKinds::all());
            if events.is_empty() {
                break;
            }
            events.retain(|event| !matches!(event, Event::TextDelta(delta) if is_half(&delta.text)));
            for event in &events {
                if let Event::TextDelta(delta) = event {
                    said.push_str(&delta.text);
                }
            }
            out.emit(&events)?;
        }
        let response = run.finish()?;
        let mut content = response.message().content;
        for block in &mut content {
            if let ContentBlock::Text(text) = block {
                text.clone_from(&said);
            }
        }
        response.set_content(&content)?;
        Ok(response)
    }
}

fn is_half(piece: &str) -> bool {
    piece.chars().count() == 1 && piece.len() > 1
}

impl OnReply for Careless {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        if self.0 != Mistake::LeavesALock {
            return next.run(request);
        }
        assert!(state::get(Scope::Session, LOCK)?.is_none(), "the session is locked");
        state::set(Scope::Session, LOCK, "held")?;
        let response = next.run(request)?;
        state::delete(Scope::Session, LOCK)?;
        Ok(response)
    }
}

impl OnModelCall for Careless {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        match self.0 {
            Mistake::DropsPieces => return self.relay(request, &next, &out),
            Mistake::ExpectsTheHost => {
                state::increment(Scope::Layer, "calls", 1.0).expect("the host counts");
            }
            Mistake::Rereads => {
                for _ in 0..200 {
                    std::hint::black_box(request.messages());
                }
            }
            Mistake::RefusesItsState => {
                state::increment(Scope::Layer, "calls", 1.0)?;
            }
            Mistake::CountsInMemory => {
                let response = next.run(request)?;
                let count = COUNT.fetch_add(1, Ordering::Relaxed);
                let mut content = response.message().content;
                content.push(ContentBlock::Text(format!(" Call {count}.")));
                response.set_content(&content)?;
                return Ok(response);
            }
            Mistake::None | Mistake::LeavesALock => {}
        }
        next.run(request)
    }
}

impl MigrateState for Careless {
    fn migrate_state(&self, _: &str) -> Result<(), Error> {
        match self.0 {
            Mistake::RefusesItsState => Err(Error::rejected("odd", "this state is of no version I know")),
            _ => Ok(()),
        }
    }
}

cepa_sdk::export!(Careless: OnReply, OnModelCall, MigrateState);
