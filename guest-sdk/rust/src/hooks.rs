//! The hooks, and what else a component may export: one trait each. A middleware implements those it wants and names
//! them in [`export!`](crate::export).

use crate::{
    CompressNext, CompressRequest, CompressResponse, Draft, Error, Event, EventKinds, Middleware, ModelNext,
    ModelRequest, ModelResponse, PermissionDecision, PermissionNext, PermissionRequest, ReasoningNext,
    ReasoningRequest, ReasoningResponse, ReplyNext, ReplyRequest, ReplyResponse, Sink, ToolDefinition,
    ToolNext, ToolRequest, ToolResponse, TurnSummary, Verdict,
};

/// Wraps a whole reply: every step, tool call and the final answer.
pub trait OnReply: Middleware {
    /// Answers the request, as a rule with what `next` answers. The response holds the final message alone: those of
    /// earlier steps are stored by then and can't be changed here.
    fn on_reply(&self, request: ReplyRequest, next: ReplyNext, out: Sink) -> Result<ReplyResponse, Error>;
}

/// Wraps one step's reasoning: prompt assembly, model call, decoding.
pub trait OnReasoning: Middleware {
    /// Answers the request, as a rule with what `next` answers.
    fn on_reasoning(
        &self,
        request: ReasoningRequest,
        next: ReasoningNext,
        out: Sink,
    ) -> Result<ReasoningResponse, Error>;
}

/// Wraps one request to a model.
pub trait OnModelCall: Middleware {
    /// Answers the request, as a rule with what `next` answers.
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error>;
}

/// Wraps one tool execution.
pub trait OnActing: Middleware {
    /// Answers the request, as a rule with what `next` answers. An error becomes an error result.
    fn on_acting(&self, request: ToolRequest, next: ToolNext, out: Sink) -> Result<ToolResponse, Error>;
}

/// Wraps the check, before each step, whether to compress the context, and the compression.
pub trait OnCompressContext: Middleware {
    /// Answers the request, as a rule with what `next` answers.
    fn on_compress_context(
        &self,
        request: CompressRequest,
        next: CompressNext,
        out: Sink,
    ) -> Result<CompressResponse, Error>;
}

/// Wraps the decision whether a tool call may run.
pub trait OnCheckPermission: Middleware {
    /// Decides. An error counts as a denial.
    fn on_check_permission(
        &self,
        request: PermissionRequest,
        next: PermissionNext,
    ) -> Result<PermissionDecision, Error>;
}

/// Rewrites the assembled system prompt, passed from layer to layer in list order.
pub trait OnSystemPrompt: Middleware {
    /// Gives the prompt to pass on.
    fn on_system_prompt(&self, prompt: String) -> Result<String, Error>;
}

/// Filters the reply's event stream. The instance lives as long as the reply.
///
/// What keeps text from the reader must take the kind `REVISION` beside `TEXT`: `message-replaced` brings a whole message,
/// with what was filtered out of its pieces.
pub trait OnEvents: Middleware {
    /// The kinds of event to be given; others pass by. Asked once, at the start of a reply.
    fn kinds(&self) -> EventKinds;
    /// Takes the 1 to 64 events that are ready and gives what goes on. `reply-start` and `reply-end` can't be dropped.
    fn on_events(&self, events: Vec<Event>) -> Result<Vec<Event>, Error>;
}

/// Reviews the final answer before it is stored. Its text has been streamed by then.
pub trait OnDraft: Middleware {
    /// Accepts the draft, replaces it, or has the model asked again. What was streamed of a rejected draft is withdrawn, a
    /// replaced one is corrected by `message-replaced`. When the model is asked again it is offered no tools.
    fn on_draft(&self, draft: Draft) -> Result<Verdict, Error>;
}

/// Contributes tools.
pub trait ToolSource: Middleware {
    /// The tools. Asked once, when the agent is built.
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error>;
    /// Runs one of them. What it sends as `tool-result-text` and `tool-result-data` is shown as it comes.
    fn call_tool(&self, request: ToolRequest, out: Sink) -> Result<ToolResponse, Error>;
}

/// Takes over the state that another version of the middleware left. No hook: called when a running host
/// exchanges the layer's component for this one, before the first reply that has it, and anew if what it read was
/// changed meanwhile.
pub trait MigrateState: Middleware {
    /// Brings the state of [`Scope::Layer`](crate::state::Scope) into this version's form; there is no other scope, and
    /// no other capability. `from_config` is the configuration of the version before, as JSON. What is changed holds
    /// only if the exchange does; an error stops it.
    fn migrate_state(&self, from_config: &str) -> Result<(), Error>;
}

/// Is told how each reply ended: exactly once, on every path.
pub trait OnTurnEnd: Middleware {
    /// Nothing that happens here changes the reply.
    fn on_turn_end(&self, turn: TurnSummary);
}
