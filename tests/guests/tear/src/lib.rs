//! Tears calls from their results, and says what only a tool or a caller may say, wherever a layer can.

use cepa_sdk::{
    ContentBlock, Error, Message, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall,
    OnReasoning, OnReply, OtherBlock, ReasoningNext, ReasoningRequest, ReasoningResponse, ReplyNext,
    ReplyRequest, ReplyResponse, ResultPart, Role, Sink, ThinkingBlock, ToolCall, ToolResult, ToolState,
    info,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// One thing to tear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Tear {
    #[default]
    Nothing,
    /// The request to the model gets a result without a call.
    RequestResult,
    /// It gets a call without a result.
    RequestCall,
    /// It gets both, in messages of the wrong role.
    RequestRoles,
    /// It loses every result.
    RequestLoss,
    /// The input gets a result.
    InputResult,
    /// It gets a call.
    InputCall,
    /// It is nothing at all.
    InputNothing,
    /// It is blank.
    InputBlank,
    /// A model's answer is a call and its result.
    AnswerResult,
    /// A step's thought comes with a result.
    ThoughtResult,
    /// The answer is made of what is no JSON.
    AnswerUnreadable,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    tear: Tear,
}

struct Layer(Tear);

impl Middleware for Layer {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config.tear))
    }
}

fn call(id: &str) -> ContentBlock {
    let (name, arguments) = ("look".to_owned(), r#"{"x":1}"#.to_owned());
    ContentBlock::ToolCall(ToolCall { id: id.to_owned(), name, arguments })
}

fn result(id: &str) -> ContentBlock {
    let content = vec![ResultPart::Text("made up".to_owned())];
    let (call_id, name, state) = (id.to_owned(), "look".to_owned(), ToolState::Success);
    ContentBlock::ToolResult(ToolResult { call_id, name, state, content })
}

fn is_result(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::ToolResult(_))
}

impl Layer {
    fn edit(&self, request: &ModelRequest) -> Result<(), Error> {
        match self.0 {
            Tear::RequestResult => request.push_message(&Message::new(Role::Tool, vec![result("ghost")])),
            Tear::RequestCall => request.push_message(&Message::new(Role::Assistant, vec![call("ghost")])),
            Tear::RequestRoles => {
                request.push_message(&Message::new(Role::User, vec![call("ghost"), result("ghost")]))
            }
            Tear::RequestLoss => {
                let mut messages = request.messages();
                messages.retain(|message| !message.content.iter().any(is_result));
                request.set_messages(&messages)
            }
            _ => Ok(()),
        }
    }

    fn input(&self) -> Option<Vec<Message>> {
        match self.0 {
            Tear::InputResult => Some(vec![Message::new(Role::User, vec![result("ghost")])]),
            Tear::InputCall => Some(vec![Message::new(Role::Assistant, vec![call("ghost")])]),
            Tear::InputNothing => Some(Vec::new()),
            Tear::InputBlank => Some(vec![Message::user(" \n")]),
            _ => None,
        }
    }
}

impl OnReply for Layer {
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, _: Sink) -> Result<ReplyResponse, Error> {
        if let Some(input) = self.input()
            && let Err(error) = request.set_input(&input)
        {
            info!("{}", error.message);
        }
        match next.run(request) {
            Err(error) if self.0 == Tear::AnswerUnreadable => {
                info!("{:?}: {}", error.kind, error.message);
                Err(error)
            }
            answer => answer,
        }
    }
}

impl OnReasoning for Layer {
    fn on_reasoning(
        &self,
        request: ReasoningRequest,
        next: ReasoningNext,
        _: Sink,
    ) -> Result<ReasoningResponse, Error> {
        if self.0 == Tear::ThoughtResult && request.step() == 1 {
            let thought = ThinkingBlock { text: "Hm.".to_owned(), signature: None };
            return Ok(ReasoningResponse::new(&[ContentBlock::Thinking(thought), result("ghost")]));
        }
        next.run(request)
    }
}

impl OnModelCall for Layer {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        match self.0 {
            Tear::AnswerResult => {
                return Ok(ModelResponse::new(&[call("c9"), result("c9"), result("other")]));
            }
            Tear::AnswerUnreadable => {
                let odd = OtherBlock { name: "odd".to_owned(), json: "{oops".to_owned() };
                let answer = ModelResponse::new(&[ContentBlock::Other(odd)]);
                return Ok(answer.clone());
            }
            _ => {}
        }
        if request.messages().iter().any(|message| message.content.iter().any(is_result)) {
            self.edit(&request)?;
        }
        next.run(request)
    }
}

cepa_sdk::export!(Layer: OnReply, OnReasoning, OnModelCall);
