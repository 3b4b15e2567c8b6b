//! `flow`: `next`, its runs, and the sink.

use wasmtime::component::Resource;

use crate::request::{
    CompressRequest, CompressResponse, ModelRequest, ModelResponse, PermissionRequest, ReasoningRequest,
    ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest, ToolResponse,
};
use crate::sandbox::bindings::cepa::middleware::{events, flow, requests};
use crate::sandbox::bindings::{
    CompressNext, CompressRun, ModelNext, ModelRun, PermissionNext, ReasoningNext, ReasoningRun, ReplyNext,
    ReplyRun, ToolNext, ToolRun,
};
use crate::sandbox::flow::SinkHandle;

use super::{Answer, Counted, counted};

impl flow::Host for Counted<'_> {}

counted! {
    flow::HostSink {
        async fn emit(this: Resource<SinkHandle>, events: Vec<events::Event>) -> Answer<()>;
        fn drop(this: Resource<SinkHandle>) -> ();
    }

    flow::HostPermissionNext {
        async fn run(
            this: Resource<PermissionNext>,
            request: Resource<PermissionRequest>
        ) -> Answer<requests::PermissionDecision>;
        fn drop(this: Resource<PermissionNext>) -> ();
    }
}

/// `…-next` and `…-run` of one onion hook.
macro_rules! onion {
    ($next_host:ident, $run_host:ident, $next:ty, $run:ty, $request:ty => $response:ty) => {
        counted! {
            flow::$next_host {
                async fn run(this: Resource<$next>, request: Resource<$request>) -> Answer<Resource<$response>>;
                async fn start(this: Resource<$next>, request: Resource<$request>) -> Resource<$run>;
                fn drop(this: Resource<$next>) -> ();
            }

            flow::$run_host {
                async fn next(this: Resource<$run>, kinds: events::EventKinds) -> Vec<events::Event>;
                async fn finish(this: Resource<$run>) -> Answer<Resource<$response>>;
                fn drop(this: Resource<$run>) -> ();
            }
        }
    };
}

onion!(HostReplyNext, HostReplyRun, ReplyNext, ReplyRun, ReplyRequest => ReplyResponse);
onion!(
    HostReasoningNext, HostReasoningRun, ReasoningNext, ReasoningRun, ReasoningRequest => ReasoningResponse
);
onion!(HostModelNext, HostModelRun, ModelNext, ModelRun, ModelRequest => ModelResponse);
onion!(HostToolNext, HostToolRun, ToolNext, ToolRun, ToolRequest => ToolResponse);
onion!(HostCompressNext, HostCompressRun, CompressNext, CompressRun, CompressRequest => CompressResponse);
