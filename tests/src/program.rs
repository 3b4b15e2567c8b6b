//! Programs of a few steps for layers: the same as a native layer and as a component (`tests/guests/program`).

use std::sync::Arc;

use cepa::chain::{
    ChainEntry, HookFuture, HookKind, HookSet, Layer, Middleware, ModelCall, Next, NoteKind, ReplyContext,
    Sink,
};
use cepa::error::{Error, ErrorKind, Failure};
use cepa::event::{Event, EventKinds};
use cepa::message::{Block, Message};
use cepa::request::{ModelRequest, ModelResponse};
use serde::Serialize;

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Takes another model.
    SetModel(String),
    /// Adds a user message.
    PushMessage(String),
    /// Sets a parameter to a JSON text, which may be malformed.
    SetParameter(String, String),
    /// Runs what is inside; its events go on.
    Run,
    /// Runs what is inside and sends its events on, texts in upper case.
    Relay,
    /// The same, asking for texts alone: the rest passes by.
    RelayText,
    /// Sends a text.
    Emit(String),
    /// Takes an answer of its own.
    Answer(String),
    /// Changes the answer.
    Rewrite(String),
    /// Takes an error of its own.
    Fail(String),
}

/// The steps of one layer, in order; what was taken last is answered.
pub type Program = Vec<Step>;

/// A native layer that runs a program, in its place in a chain.
pub fn native(name: &str, program: Program, next_runs_max: u32) -> ChainEntry {
    let middleware = NativeProgram { name: name.to_owned(), program };
    ChainEntry { next_runs_max, ..ChainEntry::shared(Arc::new(middleware)) }
}

struct NativeProgram {
    name: String,
    program: Program,
}

impl Middleware for NativeProgram {
    fn name(&self) -> &str {
        &self.name
    }

    fn hooks(&self) -> HookSet {
        HookSet::EMPTY.with(HookKind::ModelCall)
    }

    fn open(&self, reply: &Arc<ReplyContext>) -> Arc<dyn Layer> {
        Arc::new(Running {
            name: self.name.clone(),
            program: self.program.clone(),
            context: Arc::clone(reply),
        })
    }
}

struct Running {
    name: String,
    program: Program,
    context: Arc<ReplyContext>,
}

fn text(said: &str) -> Vec<Block> {
    vec![Block::Text { text: said.to_owned() }]
}

async fn relay(
    request: ModelRequest,
    next: &mut Next<ModelCall>,
    out: &Sink,
    kinds: EventKinds,
) -> Result<ModelResponse, Error> {
    let mut run = next.start(request).await?;
    loop {
        let mut events = run.next(kinds).await?;
        if events.is_empty() {
            return run.finish().await;
        }
        for event in &mut events {
            if let Event::TextDelta { text, .. } = event {
                *text = text.to_uppercase();
            }
        }
        out.emit(events).await?;
    }
}

impl Running {
    fn say(&self, message: impl Into<String>) {
        let kind = NoteKind::Log { level: "info", message: message.into() };
        self.context.ledger.note(&self.name, kind);
    }

    fn set_parameter(&self, request: &mut ModelRequest, name: &str, value: &str) {
        match serde_json::from_str(value) {
            Ok(value) => {
                request.edit().parameters.insert(name.to_owned(), value);
            }
            Err(error) => self.say(format!("the value is no JSON: {error}")),
        }
    }

    async fn run(
        &self,
        mut request: ModelRequest,
        mut next: Next<ModelCall>,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        self.say("enter");
        let mut last = Err(Error::new(ErrorKind::Rejected, "the program is empty"));
        for step in &self.program {
            match step {
                Step::SetModel(model) => request.edit().model.clone_from(model),
                Step::PushMessage(said) => request.push_message(Message::user(said)),
                Step::SetParameter(name, value) => self.set_parameter(&mut request, name, value),
                Step::Run => last = next.run(request.clone()).await,
                Step::Relay => last = relay(request.clone(), &mut next, &out, EventKinds::ALL).await,
                Step::RelayText => last = relay(request.clone(), &mut next, &out, EventKinds::TEXT).await,
                Step::Emit(said) => {
                    out.send(Event::TextDelta { id: "own".to_owned(), text: said.clone() }).await?;
                }
                Step::Answer(said) => last = Ok(ModelResponse::answer(text(said))),
                Step::Rewrite(said) => {
                    if let Ok(response) = &mut last {
                        response.edit().message.content = text(said);
                    }
                }
                Step::Fail(why) => last = Err(Error::new(ErrorKind::Rejected, why)),
            }
        }
        self.say("exit");
        last
    }
}

impl Layer for Running {
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        next: Next<ModelCall>,
        out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move { self.run(request, next, out).await.map_err(Failure::from) })
    }
}
