//! Writes Cepa middlewares in Rust.
//!
//! A middleware is a type, the hooks it implements, and one line:
//!
//! ```
//! use cepa_sdk::{Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink};
//!
//! struct Polite;
//!
//! impl Middleware for Polite {
//!     type Config = NoConfig;
//!     fn new(_: NoConfig) -> Result<Self, Error> {
//!         Ok(Self)
//!     }
//! }
//!
//! impl OnModelCall for Polite {
//!     fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
//!         let prompt = request.system_prompt().unwrap_or_default();
//!         request.set_system_prompt(Some(&format!("{prompt}\nSay please.")));
//!         next.run(request)
//!     }
//! }
//!
//! cepa_sdk::export!(Polite: OnModelCall);
//! # fn main() {}
//! ```

pub mod agents;
mod backend;
#[allow(clippy::all, clippy::pedantic, missing_docs, unsafe_code, reason = "generated")]
mod bindings;
mod error;
mod error_kind;
mod event;
mod export;
mod hooks;
pub mod http;
pub mod index;
pub mod log;
mod message;
mod middleware;
mod names;
mod shortcuts;
pub mod state;
pub mod telemetry;
pub mod workspace;

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(not(target_family = "wasm"))]
pub mod rig;
#[cfg(target_family = "wasm")]
mod wasm;

pub use backend::flow::{
    CompressNext, CompressRun, ModelNext, ModelRun, PermissionNext, ReasoningNext, ReasoningRun, ReplyNext,
    ReplyRun, Sink, ToolNext, ToolRun,
};
pub use backend::requests::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionRequest,
    ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest, ToolResponse, TurnSummary,
};
pub use backend::{clock, context, conversation, models, random, tools};
pub use bindings::cepa::middleware::events::{
    DataDelta, DataStart, Event, EventKinds, Hint, ModelCallEnd, ModelCallStart, OtherEvent, ReplyEnd,
    ReplyStart, TextDelta, ToolData, ToolEnd, ToolStart, ToolText,
};
pub use bindings::cepa::middleware::requests::{Permission, PermissionDecision, Verdict};
pub use bindings::cepa::middleware::types::{
    ContentBlock, DataBlock, DataSource, Error, ErrorKind, FinishReason, HintBlock, Message, OtherBlock,
    OtherPart, Outcome, ResultPart, Role, ThinkingBlock, ToolCall, ToolChoice, ToolDefinition, ToolResult,
    ToolState, Usage,
};
pub use hooks::{
    MigrateState, OnActing, OnCheckPermission, OnCompressContext, OnDraft, OnEvents, OnModelCall,
    OnReasoning, OnReply, OnSystemPrompt, OnTurnEnd, ToolSource,
};
pub use middleware::{Middleware, NoConfig, schema};
pub use {schemars, serde, serde_json};

#[cfg(target_family = "wasm")]
#[doc(hidden)]
pub mod __wasm {
    pub use crate::wasm::{Cell, Exported, Instance, hooks};
}

/// The guide's examples compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
