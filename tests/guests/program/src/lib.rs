//! Does what its configuration says, step by step: the guest of the tests of the chain's laws.

use cepa_sdk::{
    ContentBlock, Error, ErrorKind, Event, EventKinds, Message, Middleware, ModelNext, ModelRequest,
    ModelResponse, OnModelCall, Role, Sink, TextDelta,
    log::{Level, write},
};
use schemars::JsonSchema;
use serde::Deserialize;

/// One step of a program. `tests/src/program.rs` has the same for native layers.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Step {
    SetModel(String),
    PushMessage(String),
    SetParameter(String, String),
    Run,
    Relay,
    RelayText,
    Emit(String),
    Answer(String),
    Rewrite(String),
    Fail(String),
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    steps: Vec<Step>,
}

struct Program(Config);

impl Middleware for Program {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

fn rejected(message: &str) -> Error {
    Error {
        kind: ErrorKind::Rejected,
        code: String::new(),
        message: message.to_owned(),
        retryable: false,
        retry_after_ms: None,
        status: None,
    }
}

fn text(text: &str) -> Vec<ContentBlock> {
    vec![ContentBlock::Text(text.to_owned())]
}

fn relay(
    request: ModelRequest,
    next: &ModelNext,
    out: &Sink,
    kinds: EventKinds,
) -> Result<ModelResponse, Error> {
    let run = next.start(request);
    loop {
        let events = run.next(kinds);
        if events.is_empty() {
            return run.finish();
        }
        let louder: Vec<Event> = events
            .into_iter()
            .map(|event| match event {
                Event::TextDelta(delta) => {
                    Event::TextDelta(TextDelta { id: delta.id, text: delta.text.to_uppercase() })
                }
                other => other,
            })
            .collect();
        out.emit(&louder)?;
    }
}

impl OnModelCall for Program {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        write(Level::Info, "enter");
        let mut last = Err(rejected("the program is empty"));
        for step in &self.0.steps {
            match step {
                Step::SetModel(model) => request.set_model(model),
                Step::PushMessage(said) => request.push_message(&Message {
                    id: String::new(),
                    role: Role::User,
                    name: None,
                    content: text(said),
                    metadata: String::new(),
                })?,
                Step::SetParameter(name, value) => {
                    if let Err(error) = request.set_parameter(name, Some(value)) {
                        write(Level::Info, &error.message);
                    }
                }
                Step::Run => last = next.run(request.clone()),
                Step::Relay => last = relay(request.clone(), &next, &out, EventKinds::all()),
                Step::RelayText => last = relay(request.clone(), &next, &out, EventKinds::TEXT),
                Step::Emit(said) => {
                    out.emit(&[Event::TextDelta(TextDelta { id: "own".to_owned(), text: said.clone() })])?;
                }
                Step::Answer(said) => last = Ok(ModelResponse::new(&text(said))),
                Step::Rewrite(said) => {
                    if let Ok(response) = &last {
                        response.set_content(&text(said))?;
                    }
                }
                Step::Fail(why) => last = Err(rejected(why)),
            }
        }
        write(Level::Info, "exit");
        last
    }
}

cepa_sdk::export!(Program: OnModelCall);
