//! What the engine's generator makes of the contract. Nothing else stands here.

use crate::chain::{Acting, CheckPermission, CompressContext, ModelCall, Reasoning, Reply};

use super::flow::{NextHandle, RunHandle};

pub type ReplyNext = NextHandle<Reply>;
pub type ReplyRun = RunHandle<Reply>;
pub type ReasoningNext = NextHandle<Reasoning>;
pub type ReasoningRun = RunHandle<Reasoning>;
pub type ModelNext = NextHandle<ModelCall>;
pub type ModelRun = RunHandle<ModelCall>;
pub type ToolNext = NextHandle<Acting>;
pub type ToolRun = RunHandle<Acting>;
pub type CompressNext = NextHandle<CompressContext>;
pub type CompressRun = RunHandle<CompressContext>;
pub type PermissionNext = NextHandle<CheckPermission>;

wasmtime::component::bindgen!({
    path: "../wit",
    world: "cepa:middleware/middleware",
    imports: {
        "cepa:middleware/flow.[method]sink.emit": async | trappable,
        "cepa:middleware/flow.[method]reply-next.run": async | trappable,
        "cepa:middleware/flow.[method]reply-next.start": async | trappable,
        "cepa:middleware/flow.[method]reply-run.next": async | trappable,
        "cepa:middleware/flow.[method]reply-run.finish": async | trappable,
        "cepa:middleware/flow.[method]reasoning-next.run": async | trappable,
        "cepa:middleware/flow.[method]reasoning-next.start": async | trappable,
        "cepa:middleware/flow.[method]reasoning-run.next": async | trappable,
        "cepa:middleware/flow.[method]reasoning-run.finish": async | trappable,
        "cepa:middleware/flow.[method]model-next.run": async | trappable,
        "cepa:middleware/flow.[method]model-next.start": async | trappable,
        "cepa:middleware/flow.[method]model-run.next": async | trappable,
        "cepa:middleware/flow.[method]model-run.finish": async | trappable,
        "cepa:middleware/flow.[method]tool-next.run": async | trappable,
        "cepa:middleware/flow.[method]tool-next.start": async | trappable,
        "cepa:middleware/flow.[method]tool-run.next": async | trappable,
        "cepa:middleware/flow.[method]tool-run.finish": async | trappable,
        "cepa:middleware/flow.[method]compress-next.run": async | trappable,
        "cepa:middleware/flow.[method]compress-next.start": async | trappable,
        "cepa:middleware/flow.[method]compress-run.next": async | trappable,
        "cepa:middleware/flow.[method]compress-run.finish": async | trappable,
        "cepa:middleware/flow.[method]permission-next.run": async | trappable,
        "cepa:middleware/requests.[method]reply-request.set-output-schema": async | trappable,
        "cepa:middleware/requests.[method]model-request.set-output-schema": async | trappable,
        "cepa:middleware/requests.[method]model-request.set-tools": async | trappable,
        "cepa:middleware/clock.sleep": async | trappable,
        "cepa:middleware/state": async | trappable,
        "cepa:middleware/models.complete": async | trappable,
        "cepa:middleware/tools.call": async | trappable,
        "cepa:middleware/conversation.replace": async | trappable,
        "cepa:middleware/workspace": async | trappable,
        "cepa:middleware/index": async | trappable,
        "cepa:middleware/agents.run": async | trappable,
        "cepa:middleware/http.fetch": async | trappable,
        "cepa:middleware/http.[method]http-response.read": async | trappable,
        default: trappable,
    },
    exports: { default: async },
    additional_derives: [serde::Serialize, serde::Deserialize],
    with: {
        "cepa:middleware/requests.reply-request": crate::request::ReplyRequest,
        "cepa:middleware/requests.reply-response": crate::request::ReplyResponse,
        "cepa:middleware/requests.reasoning-request": crate::request::ReasoningRequest,
        "cepa:middleware/requests.reasoning-response": crate::request::ReasoningResponse,
        "cepa:middleware/requests.model-request": crate::request::ModelRequest,
        "cepa:middleware/requests.model-response": crate::request::ModelResponse,
        "cepa:middleware/requests.tool-request": crate::request::ToolRequest,
        "cepa:middleware/requests.tool-response": crate::request::ToolResponse,
        "cepa:middleware/requests.compress-request": crate::request::CompressRequest,
        "cepa:middleware/requests.compress-response": crate::request::CompressResponse,
        "cepa:middleware/requests.permission-request": crate::request::PermissionRequest,
        "cepa:middleware/requests.draft": crate::request::Draft,
        "cepa:middleware/requests.turn-summary": crate::request::TurnSummary,
        "cepa:middleware/http.http-request": crate::http::Request,
        "cepa:middleware/http.http-response": crate::http::Answer,
        "cepa:middleware/agents.agent-run": crate::services::AgentRun,
        "cepa:middleware/telemetry.span": super::spans::SpanHandle,
        "cepa:middleware/flow.sink": super::flow::SinkHandle,
        "cepa:middleware/flow.reply-next": ReplyNext,
        "cepa:middleware/flow.reply-run": ReplyRun,
        "cepa:middleware/flow.reasoning-next": ReasoningNext,
        "cepa:middleware/flow.reasoning-run": ReasoningRun,
        "cepa:middleware/flow.model-next": ModelNext,
        "cepa:middleware/flow.model-run": ModelRun,
        "cepa:middleware/flow.tool-next": ToolNext,
        "cepa:middleware/flow.tool-run": ToolRun,
        "cepa:middleware/flow.compress-next": CompressNext,
        "cepa:middleware/flow.compress-run": CompressRun,
        "cepa:middleware/flow.permission-next": PermissionNext,
    },
});
