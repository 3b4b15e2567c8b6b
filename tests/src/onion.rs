//! Programs for every onion hook: the same as a native layer and as a component (`tests/guests/onion`).

use std::sync::Arc;

use cepa::chain::{
    Acting, ChainEntry, CheckPermission, CompressContext, Hook, HookFuture, HookKind, HookSet, Layer,
    Middleware, ModelCall, Next, NoteKind, Reasoning, Reply, ReplyContext, Sink,
};
use cepa::error::{Error, ErrorKind, Failure};
use cepa::event::Event;
use cepa::message::{Block, Message, ToolCall, ToolState};
use cepa::request::{
    CompressRequest, CompressRequestData, CompressResponse, CompressResponseData, ModelRequest,
    ModelResponse, Permission, PermissionDecision, PermissionRequest, PermissionRequestData,
    ReasoningRequest, ReasoningRequestData, ReasoningResponse, ReplyRequest, ReplyRequestData, ReplyResponse,
    ToolRequest, ToolRequestData, ToolResponse,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// One thing that a layer does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deed {
    /// Adds a word to the request, where it can be changed.
    Say(String),
    /// Runs what is inside.
    Run,
    /// Sends an event of its own, where there are events.
    Emit(String),
    /// Takes an answer of its own.
    Answer(String),
    /// Takes an error of its own.
    Fail(String),
}

/// An onion hook in which programs run.
pub trait OnionHook: Hook {
    /// A request that says nothing yet.
    fn request() -> Self::Request;
    /// Adds a word.
    fn say(request: &mut Self::Request, word: &str);
    /// The words in a request.
    fn said(request: &Self::Request) -> Vec<String>;
    /// A response of one text.
    fn answer(text: String) -> Self::Response;
    /// The text of a response.
    fn text(response: &Self::Response) -> String;
}

fn texts(messages: &[Message]) -> Vec<String> {
    messages.iter().map(Message::text).collect()
}

fn block(text: String) -> Vec<Block> {
    vec![Block::Text { text }]
}

impl OnionHook for Reply {
    fn request() -> ReplyRequest {
        ReplyRequest::new(ReplyRequestData {
            input: vec![Message::user("first")],
            ..ReplyRequestData::default()
        })
    }

    fn say(request: &mut ReplyRequest, word: &str) {
        request.edit().input.push(Message::user(word));
    }

    fn said(request: &ReplyRequest) -> Vec<String> {
        texts(&request.input)
    }

    fn answer(text: String) -> ReplyResponse {
        ReplyResponse::answer(block(text))
    }

    fn text(response: &ReplyResponse) -> String {
        response.text()
    }
}

impl OnionHook for Reasoning {
    fn request() -> ReasoningRequest {
        ReasoningRequest::new(ReasoningRequestData::default())
    }

    fn say(request: &mut ReasoningRequest, word: &str) {
        request.edit().hints.push(("word".to_owned(), word.to_owned()));
    }

    fn said(request: &ReasoningRequest) -> Vec<String> {
        request.hints.iter().map(|(_, word)| word.clone()).collect()
    }

    fn answer(text: String) -> ReasoningResponse {
        ReasoningResponse::answer(block(text))
    }

    fn text(response: &ReasoningResponse) -> String {
        response.message.text()
    }
}

impl OnionHook for ModelCall {
    fn request() -> ModelRequest {
        ModelRequest::to("main")
    }

    fn say(request: &mut ModelRequest, word: &str) {
        request.push_message(Message::user(word));
    }

    fn said(request: &ModelRequest) -> Vec<String> {
        request.messages.iter().map(|message| message.text()).collect()
    }

    fn answer(text: String) -> ModelResponse {
        ModelResponse::answer(block(text))
    }

    fn text(response: &ModelResponse) -> String {
        response.text()
    }
}

impl OnionHook for Acting {
    fn request() -> ToolRequest {
        let call = ToolCall { id: "c1".to_owned(), name: "look".to_owned(), arguments: "{}".to_owned() };
        ToolRequest::new(ToolRequestData { call, offered: Arc::default(), metadata: Map::new() })
    }

    fn say(request: &mut ToolRequest, word: &str) {
        let mut words = Self::said(request);
        words.push(word.to_owned());
        request.edit().call.arguments = json!({ "words": words }).to_string();
    }

    fn said(request: &ToolRequest) -> Vec<String> {
        let arguments: Value = serde_json::from_str(&request.call.arguments).unwrap_or_default();
        let words = arguments["words"].as_array().cloned().unwrap_or_default();
        words.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn answer(text: String) -> ToolResponse {
        ToolResponse::text_answer(ToolState::Success, text)
    }

    fn text(response: &ToolResponse) -> String {
        response.text()
    }
}

impl OnionHook for CompressContext {
    fn request() -> CompressRequest {
        CompressRequest::new(CompressRequestData::default())
    }

    fn say(request: &mut CompressRequest, word: &str) {
        let mut words = Self::said(request);
        words.push(word.to_owned());
        request.edit().instructions = Some(words.join("+"));
    }

    fn said(request: &CompressRequest) -> Vec<String> {
        request.instructions.iter().flat_map(|text| text.split('+')).map(str::to_owned).collect()
    }

    fn answer(text: String) -> CompressResponse {
        CompressResponse::new(CompressResponseData { compressed: true, summary: Some(text) })
    }

    fn text(response: &CompressResponse) -> String {
        response.summary.clone().unwrap_or_default()
    }
}

/// Its request can't be changed, and it has no events.
impl OnionHook for CheckPermission {
    fn request() -> PermissionRequest {
        PermissionRequest::new(PermissionRequestData {
            call: Acting::request().call.clone(),
            definition: None,
            confirmed: false,
            ruled: Self::answer("ruled".to_owned()),
        })
    }

    fn say(_request: &mut PermissionRequest, _word: &str) {}

    fn said(_request: &PermissionRequest) -> Vec<String> {
        Vec::new()
    }

    fn answer(text: String) -> PermissionDecision {
        PermissionDecision { permission: Permission::Deny, reason: text }
    }

    fn text(response: &PermissionDecision) -> String {
        response.reason.clone()
    }
}

/// A native layer that does this in every onion hook, in its place in a chain.
pub fn native(name: &str, deeds: Vec<Deed>, next_runs_max: u32) -> ChainEntry {
    let middleware = NativeOnion { name: name.to_owned(), deeds };
    ChainEntry { next_runs_max, ..ChainEntry::shared(Arc::new(middleware)) }
}

struct NativeOnion {
    name: String,
    deeds: Vec<Deed>,
}

impl Middleware for NativeOnion {
    fn name(&self) -> &str {
        &self.name
    }

    fn hooks(&self) -> HookSet {
        [
            Reply::KIND,
            Reasoning::KIND,
            ModelCall::KIND,
            Acting::KIND,
            CompressContext::KIND,
            CheckPermission::KIND,
        ]
        .into_iter()
        .collect()
    }

    fn open(&self, reply: &Arc<ReplyContext>) -> Arc<dyn Layer> {
        let (name, deeds, context) = (self.name.clone(), self.deeds.clone(), Arc::clone(reply));
        Arc::new(Running { name, deeds, context })
    }
}

struct Running {
    name: String,
    deeds: Vec<Deed>,
    context: Arc<ReplyContext>,
}

impl Running {
    fn tell(&self, word: &str) {
        let kind = NoteKind::Log { level: "info", message: word.to_owned() };
        self.context.ledger.note(&self.name, kind);
    }

    async fn act<H: OnionHook>(
        self: Arc<Self>,
        mut request: H::Request,
        mut next: Next<H>,
        out: Sink,
    ) -> Result<H::Response, Failure> {
        self.tell("enter");
        let mut last = Err(Error::new(ErrorKind::Rejected, "nothing was done"));
        for deed in &self.deeds {
            match deed {
                Deed::Say(word) => H::say(&mut request, word),
                Deed::Run => last = next.run(request.clone()).await,
                Deed::Emit(word) if H::KIND != HookKind::CheckPermission => {
                    out.send(Event::Other { name: "word".to_owned(), json: json!(word) }).await?;
                }
                Deed::Emit(_) => {}
                Deed::Answer(word) => last = Ok(H::answer(word.clone())),
                Deed::Fail(word) => last = Err(Error::new(ErrorKind::Rejected, word)),
            }
        }
        self.tell("exit");
        last.map_err(Failure::from)
    }
}

macro_rules! hooks {
    ($($method:ident: $hook:ident, $request:ident -> $response:ident;)+) => {
        $(fn $method(self: Arc<Self>, request: $request, next: Next<$hook>, out: Sink) -> HookFuture<$response> {
            Box::pin(self.act(request, next, out))
        })+
    };
}

impl Layer for Running {
    hooks! {
        on_reply: Reply, ReplyRequest -> ReplyResponse;
        on_reasoning: Reasoning, ReasoningRequest -> ReasoningResponse;
        on_model_call: ModelCall, ModelRequest -> ModelResponse;
        on_acting: Acting, ToolRequest -> ToolResponse;
        on_compress_context: CompressContext, CompressRequest -> CompressResponse;
        on_check_permission: CheckPermission, PermissionRequest -> PermissionDecision;
    }
}
