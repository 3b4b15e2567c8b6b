//! What goes through the onion. Every request and response is shared: a clone is O(1), an edit copies what it touches.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind};
use crate::event::Outcome;
use crate::message::{
    Block, FinishReason, Message, ResultPart, Role, ToolCall, ToolChoice, ToolDefinition, ToolState, Usage,
    result_text, text_of,
};

/// Makes a shared, copy-on-write wrapper around a data struct of public fields.
macro_rules! shared {
    ($(#[$doc:meta])* $name:ident of $data:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(Arc<$data>);

        impl $name {
            /// Shares this data.
            pub fn new(data: $data) -> Self {
                Self(Arc::new(data))
            }

            /// The data, to edit; copied first if another handle shares it.
            pub fn edit(&mut self) -> &mut $data {
                Arc::make_mut(&mut self.0)
            }

            /// Whether both handles share the very same data, so that nothing was changed between them.
            pub fn same(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.0, &other.0)
            }
        }

        impl std::ops::Deref for $name {
            type Target = $data;

            fn deref(&self) -> &$data {
                &self.0
            }
        }

        impl From<$data> for $name {
            fn from(data: $data) -> Self {
                Self::new(data)
            }
        }
    };
}

/// The conversation as a request holds it: a list of shared messages.
pub type Messages = Arc<Vec<Arc<Message>>>;

/// The data of a [`ReplyRequest`].
#[derive(Clone, Debug, Default)]
pub struct ReplyRequestData {
    /// The new messages; empty when a parked reply is resumed.
    pub input: Vec<Message>,
    /// Whether this goes on with a parked reply.
    pub resumed: bool,
    /// The JSON Schema that the final answer must match.
    pub output_schema: Option<Value>,
    /// Whether the model may call tools.
    pub tool_choice: ToolChoice,
    /// What the caller or a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// The input of one reply.
    ReplyRequest of ReplyRequestData
}

/// The data of a [`ReplyResponse`].
#[derive(Clone, Debug)]
pub struct ReplyResponseData {
    /// How the reply ended.
    pub outcome: Outcome,
    /// The final message, when there is one.
    pub message: Option<Message>,
    /// The answer as JSON, when the request asked for a schema.
    pub structured_output: Option<Value>,
    /// Why the reply failed.
    pub error: Option<Error>,
    /// Tokens of all model calls of the reply.
    pub usage: Usage,
    /// How many steps it took.
    pub steps: u32,
}

shared! {
    /// The result of one reply.
    ReplyResponse of ReplyResponseData
}

impl ReplyResponse {
    /// An answer with this content, by no model.
    pub fn answer(content: Vec<Block>) -> Self {
        Self::new(ReplyResponseData {
            outcome: Outcome::Replied,
            message: Some(Message::new(Role::Assistant, content)),
            structured_output: None,
            error: None,
            usage: Usage::default(),
            steps: 0,
        })
    }

    /// The text of the final message; empty when there is none.
    pub fn text(&self) -> String {
        self.message.as_ref().map(Message::text).unwrap_or_default()
    }
}

/// The data of a [`ReasoningRequest`].
#[derive(Clone, Debug, Default)]
pub struct ReasoningRequestData {
    /// The step, from 1.
    pub step: u32,
    /// Whether the model may call tools.
    pub tool_choice: ToolChoice,
    /// The names of the tools to be offered.
    pub tools: Vec<String>,
    /// What could be offered; an offer of another name is refused.
    pub catalogue: Arc<Vec<ToolDefinition>>,
    /// Source and text of hints for this step alone.
    pub hints: Vec<(String, String)>,
    /// Parameters of the model request.
    pub parameters: Map<String, Value>,
}

shared! {
    /// One step's reasoning: what is to be asked of the model.
    ReasoningRequest of ReasoningRequestData
}

impl ReasoningRequest {
    /// Offers only these tools. A name that is not in the catalogue is refused, and nothing changes.
    pub fn set_tools(&mut self, names: Vec<String>) -> Result<(), Error> {
        if let Some(unknown) =
            names.iter().find(|name| !self.catalogue.iter().any(|tool| &tool.name == *name))
        {
            return Err(Error::new(ErrorKind::NotFound, format!("no tool `{unknown}` in the catalogue")));
        }
        self.edit().tools = names;
        Ok(())
    }
}

/// The data of a [`ReasoningResponse`].
#[derive(Clone, Debug)]
pub struct ReasoningResponseData {
    /// What the model said.
    pub message: Message,
    /// Tokens of the model call, when there was one and it was reported.
    pub usage: Option<Usage>,
    /// Why the model stopped.
    pub finish_reason: FinishReason,
}

shared! {
    /// What one step's reasoning came to.
    ReasoningResponse of ReasoningResponseData
}

/// The data of a [`ModelRequest`].
#[derive(Clone, Debug, Default)]
pub struct ModelRequestData {
    /// The alias of the model in the manifest.
    pub model: String,
    /// The assembled system prompt.
    pub system_prompt: Option<String>,
    /// The conversation.
    pub messages: Messages,
    /// The offered tools.
    pub tools: Arc<Vec<ToolDefinition>>,
    /// Whether the model may call them.
    pub tool_choice: ToolChoice,
    /// The JSON Schema that the answer must match.
    pub output_schema: Option<Value>,
    /// `temperature`, `top-p`, `max-tokens`, `stop`, `seed`, `reasoning-effort`, or a name of the provider's own.
    pub parameters: Map<String, Value>,
    /// Whether a layer made this call for itself.
    pub internal: bool,
    /// What a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// One request to a model.
    ModelRequest of ModelRequestData
}

impl ModelRequest {
    /// An empty request to this model.
    pub fn to(model: impl Into<String>) -> Self {
        Self::new(ModelRequestData { model: model.into(), ..ModelRequestData::default() })
    }

    /// The message at an index, or an error that names the index and the count.
    pub fn message(&self, index: u32) -> Result<&Arc<Message>, Error> {
        self.messages.get(index as usize).ok_or_else(|| out_of_range(index, self.messages.len()))
    }

    /// Puts a message before the one at `index`, which may be the count.
    pub fn insert_message(&mut self, index: u32, message: Message) -> Result<(), Error> {
        if index as usize > self.messages.len() {
            return Err(out_of_range(index, self.messages.len()));
        }
        Arc::make_mut(&mut self.edit().messages).insert(index as usize, Arc::new(message));
        Ok(())
    }

    /// Puts a message at the end.
    pub fn push_message(&mut self, message: Message) {
        Arc::make_mut(&mut self.edit().messages).push(Arc::new(message));
    }

    /// Replaces the message at an index.
    pub fn replace_message(&mut self, index: u32, message: Message) -> Result<(), Error> {
        self.message(index)?;
        if let Some(slot) = Arc::make_mut(&mut self.edit().messages).get_mut(index as usize) {
            *slot = Arc::new(message);
        }
        Ok(())
    }

    /// Removes the message at an index.
    pub fn remove_message(&mut self, index: u32) -> Result<(), Error> {
        self.message(index)?;
        Arc::make_mut(&mut self.edit().messages).remove(index as usize);
        Ok(())
    }
}

fn out_of_range(index: u32, count: usize) -> Error {
    Error::invalid(format!("message index {index} is out of range: there are {count} messages"))
}

/// The data of a [`ModelResponse`].
#[derive(Clone, Debug)]
pub struct ModelResponseData {
    /// The id of the model call; empty for an answer of a layer's own.
    pub id: String,
    /// The alias that answered.
    pub model: String,
    /// The name that the provider gave of the model.
    pub reported_model: Option<String>,
    /// `openai`, `anthropic`, `scripted`, or empty.
    pub provider: String,
    /// What the model said.
    pub message: Message,
    /// What it cost; absent when the provider reported nothing.
    pub usage: Option<Usage>,
    /// Why it stopped.
    pub finish_reason: FinishReason,
    /// What the provider or a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// What a model answered.
    ModelResponse of ModelResponseData
}

impl ModelResponse {
    /// An answer with this content, by no model.
    pub fn answer(content: Vec<Block>) -> Self {
        let calls = content.iter().any(|block| matches!(block, Block::ToolCall(_)));
        Self::new(ModelResponseData {
            id: String::new(),
            model: String::new(),
            reported_model: None,
            provider: String::new(),
            message: Message::new(Role::Assistant, content),
            usage: None,
            finish_reason: if calls { FinishReason::ToolCalls } else { FinishReason::Stop },
            metadata: Map::new(),
        })
    }

    /// The text of the message.
    pub fn text(&self) -> String {
        text_of(&self.message.content)
    }
}

/// The data of a [`ToolRequest`].
#[derive(Clone, Debug)]
pub struct ToolRequestData {
    /// The call: id, tool and arguments.
    pub call: ToolCall,
    /// The tools that the request to the model offered.
    pub offered: Arc<Vec<ToolDefinition>>,
    /// What a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// One tool execution.
    ToolRequest of ToolRequestData
}

impl ToolRequest {
    /// The definition of the named tool, if it is offered.
    pub fn definition(&self) -> Option<&ToolDefinition> {
        self.offered.iter().find(|tool| tool.name == self.call.name)
    }
}

/// The data of a [`ToolResponse`].
#[derive(Clone, Debug)]
pub struct ToolResponseData {
    /// How the call ended.
    pub state: ToolState,
    /// What the tool answered.
    pub content: Vec<ResultPart>,
    /// What the tool or a layer attached.
    pub metadata: Map<String, Value>,
}

shared! {
    /// What a tool answered.
    ToolResponse of ToolResponseData
}

impl ToolResponse {
    /// An answer of one text.
    pub fn text_answer(state: ToolState, text: impl Into<String>) -> Self {
        Self::new(ToolResponseData { state, content: vec![ResultPart::text(text)], metadata: Map::new() })
    }

    /// The text parts, joined.
    pub fn text(&self) -> String {
        result_text(&self.content)
    }
}

/// The data of a [`CompressRequest`].
#[derive(Clone, Debug, Default)]
pub struct CompressRequestData {
    /// The step that is about to begin.
    pub step: u32,
    /// How long the conversation is.
    pub message_count: u32,
    /// An estimate of the tokens of the next request.
    pub estimated_tokens: u32,
    /// The size of the model's context in tokens, where the manifest says it.
    pub context_tokens: Option<u32>,
    /// What the compression is told to keep.
    pub instructions: Option<String>,
}

shared! {
    /// The check whether to compress the context.
    CompressRequest of CompressRequestData
}

/// The data of a [`CompressResponse`].
#[derive(Clone, Debug, Default)]
pub struct CompressResponseData {
    /// Whether the conversation was compressed.
    pub compressed: bool,
    /// What stands for the removed part.
    pub summary: Option<String>,
}

shared! {
    /// What the check came to.
    CompressResponse of CompressResponseData
}

/// The data of a [`PermissionRequest`].
#[derive(Clone, Debug)]
pub struct PermissionRequestData {
    /// The call in question.
    pub call: ToolCall,
    /// The tool's definition.
    pub definition: Option<ToolDefinition>,
    /// Whether a person has confirmed this very call.
    pub confirmed: bool,
}

shared! {
    /// The question whether a tool call may run.
    PermissionRequest of PermissionRequestData
}

/// What is to happen with a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permission {
    /// It runs.
    Allow,
    /// A person decides.
    Ask,
    /// It does not run.
    Deny,
}

/// A decision and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionDecision {
    /// What is to happen.
    pub permission: Permission,
    /// Shown to the person asked, and to the model on a denial.
    pub reason: String,
}

/// The final answer before it goes out.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The answer.
    pub message: Message,
    /// The answer as JSON, when a schema was asked for.
    pub structured_output: Option<Value>,
    /// The attempt, from 1.
    pub attempt: u32,
    /// How many attempts there are at most.
    pub max_attempts: u32,
}

/// What is to happen with a [`Draft`].
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It goes out.
    Accept,
    /// This goes out instead.
    Replace(Vec<Block>),
    /// The model is asked again with this feedback.
    Retry(String),
}

/// How a reply ended, for those who watch.
#[derive(Clone, Debug)]
pub struct TurnSummary {
    /// How it ended.
    pub outcome: Outcome,
    /// The final message.
    pub message: Option<Message>,
    /// Why it failed.
    pub error: Option<Error>,
    /// Tokens of all its model calls.
    pub usage: Usage,
    /// Its steps.
    pub steps: u32,
    /// The tool calls that ended during it.
    pub tool_calls: u32,
    /// From its start, in milliseconds.
    pub duration_ms: u32,
}
