//! Does in every onion hook what its configuration says: the guest of the laws that hold for all of them.

use cepa_sdk::{
    CompressNext, CompressRequest, CompressResponse, ContentBlock, Error, Event, Message, Middleware,
    ModelNext, ModelRequest, ModelResponse, OnActing, OnCheckPermission, OnCompressContext, OnModelCall,
    OnReasoning, OnReply, Permission, PermissionDecision, PermissionNext, PermissionRequest, ReasoningNext,
    ReasoningRequest, ReasoningResponse, ReplyNext, ReplyRequest, ReplyResponse, ResultPart, Sink, ToolNext,
    ToolRequest, ToolResponse, ToolState, info,
    serde_json::{Value, json},
};
use schemars::JsonSchema;
use serde::Deserialize;

/// One thing to do. `tests/src/onion.rs` has the same for native layers.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Deed {
    Say(String),
    Run,
    Emit(String),
    Answer(String),
    Fail(String),
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    deeds: Vec<Deed>,
    /// Nothing is logged.
    quiet: bool,
}

struct Onion(Config);

impl Middleware for Onion {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

/// A response of one text.
trait Answer {
    fn of(word: &str) -> Self;
}

macro_rules! answers {
    ($($response:ident),+) => {
        $(impl Answer for $response {
            fn of(word: &str) -> Self {
                Self::new(&[ContentBlock::text(word)])
            }
        })+
    };
}

answers!(ReplyResponse, ReasoningResponse, ModelResponse);

impl Answer for ToolResponse {
    fn of(word: &str) -> Self {
        Self::new(ToolState::Success, &[ResultPart::Text(word.to_owned())])
    }
}

impl Answer for CompressResponse {
    fn of(word: &str) -> Self {
        Self::new(true, Some(word))
    }
}

impl Answer for PermissionDecision {
    fn of(word: &str) -> Self {
        Self { permission: Permission::Deny, reason: word.to_owned() }
    }
}

/// A request to which a word can be added.
trait Say {
    fn say(&self, word: &str) -> Result<(), Error>;
}

impl Say for ReplyRequest {
    fn say(&self, word: &str) -> Result<(), Error> {
        let mut input = self.input();
        input.push(Message::user(word));
        self.set_input(&input)
    }
}

impl Say for ReasoningRequest {
    fn say(&self, word: &str) -> Result<(), Error> {
        self.add_hint("word", word);
        Ok(())
    }
}

impl Say for ModelRequest {
    fn say(&self, word: &str) -> Result<(), Error> {
        self.push_message(&Message::user(word))
    }
}

impl Say for ToolRequest {
    fn say(&self, word: &str) -> Result<(), Error> {
        let mut words: Vec<Value> = cepa_sdk::serde_json::from_str::<Value>(&self.arguments())
            .ok()
            .and_then(|arguments| arguments["words"].as_array().cloned())
            .unwrap_or_default();
        words.push(json!(word));
        self.set_arguments(&json!({ "words": words }).to_string())
    }
}

impl Say for CompressRequest {
    fn say(&self, word: &str) -> Result<(), Error> {
        let before = self.instructions().map(|text| format!("{text}+")).unwrap_or_default();
        self.set_instructions(Some(&format!("{before}{word}")));
        Ok(())
    }
}

impl Onion {
    fn tell(&self, word: &str) {
        if !self.0.quiet {
            info!("{word}");
        }
    }

    fn act<A: Answer>(
        &self,
        say: impl Fn(&str) -> Result<(), Error>,
        run: impl Fn() -> Result<A, Error>,
        emit: impl Fn(&[Event]) -> Result<(), Error>,
    ) -> Result<A, Error> {
        self.tell("enter");
        let mut last = Err(Error::rejected("", "nothing was done"));
        for deed in &self.0.deeds {
            match deed {
                Deed::Say(word) => say(word)?,
                Deed::Run => last = run(),
                Deed::Emit(word) => emit(&[Event::other("word", &json!(word))])?,
                Deed::Answer(word) => last = Ok(A::of(word)),
                Deed::Fail(word) => last = Err(Error::rejected("", word)),
            }
        }
        self.tell("exit");
        last
    }
}

macro_rules! hooks {
    ($($hook:ident::$method:ident($request:ident, $next:ident) -> $response:ident;)+) => {
        $(impl $hook for Onion {
            fn $method(&self, request: $request, next: $next, out: Sink) -> Result<$response, Error> {
                self.act(|word| request.say(word), || next.run(request.clone()), |events| out.emit(events))
            }
        })+
    };
}

hooks! {
    OnReply::on_reply(ReplyRequest, ReplyNext) -> ReplyResponse;
    OnReasoning::on_reasoning(ReasoningRequest, ReasoningNext) -> ReasoningResponse;
    OnModelCall::on_model_call(ModelRequest, ModelNext) -> ModelResponse;
    OnActing::on_acting(ToolRequest, ToolNext) -> ToolResponse;
    OnCompressContext::on_compress_context(CompressRequest, CompressNext) -> CompressResponse;
}

/// The question can't be changed, and nothing is streamed.
impl OnCheckPermission for Onion {
    fn on_check_permission(
        &self,
        request: PermissionRequest,
        next: PermissionNext,
    ) -> Result<PermissionDecision, Error> {
        self.act(|_| Ok(()), || next.run(request.clone()), |_| Ok(()))
    }
}

cepa_sdk::export!(
    Onion: OnReply,
    OnReasoning,
    OnModelCall,
    OnActing,
    OnCompressContext,
    OnCheckPermission,
);
