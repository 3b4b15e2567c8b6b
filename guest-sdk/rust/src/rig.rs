//! Tests a middleware natively: scripted answers inside, a world around, and everything that it did to look at.
//!
//! Each test thread has a world of its own, and [`Rig::new`] makes it as new. Time stands still until the middleware
//! sleeps; nothing waits.

mod answer;
mod world;

use std::collections::BTreeMap;
use std::rc::Rc;

pub use answer::{Answer, Spoken};
pub(crate) use world::granted;
pub use world::{Capability, World, with};

pub use crate::backend::agents::AgentRunData;
use crate::backend::flow::{Inside, Outward};
pub use crate::backend::http::{HttpRequestData, HttpResponseData};
pub use crate::backend::requests::{
    CompressRequestData, CompressResponseData, DraftData, ModelRequestData, ModelResponseData,
    PermissionRequestData, ReasoningRequestData, ReasoningResponseData, ReplyRequestData, ReplyResponseData,
    ToolRequestData, ToolResponseData, TurnSummaryData,
};
pub use crate::backend::telemetry::{CountData, SpanData};
use crate::{
    CompressNext, CompressRequest, CompressResponse, Error, Event, Middleware, ModelNext, ModelRequest,
    ModelResponse, OnActing, OnCheckPermission, OnCompressContext, OnModelCall, OnReasoning, OnReply,
    PermissionDecision, PermissionNext, PermissionRequest, ReasoningNext, ReasoningRequest,
    ReasoningResponse, ReplyNext, ReplyRequest, ReplyResponse, Sink, ToolNext, ToolRequest, ToolResponse,
    ToolSource,
};

/// A middleware and the world that it runs in.
#[derive(Debug)]
pub struct Rig<M> {
    /// The middleware. Hooks without a `next` are called on it directly.
    pub middleware: M,
}

/// What came of one call of a hook.
#[derive(Debug)]
pub struct Called<Q, A> {
    /// What the middleware answered.
    pub result: Result<A, Error>,
    /// The request of each run of `next`; none where there is no `next`.
    pub requests: Vec<Q>,
    /// What went outward, in order.
    pub events: Vec<Event>,
}

macro_rules! onion {
    ($(#[$doc:meta])* $method:ident $hook:ident $request:ident $next:ident $response:ident) => {
        $(#[$doc])*
        pub fn $method(
            &self,
            request: $request,
            answers: impl IntoIterator<Item = Answer<$response>>,
        ) -> Called<$request, $response>
        where
            M: $hook,
        {
            let out = Outward::default();
            let inside = Inside::new(answers.into_iter().collect(), out.clone());
            let result = self.middleware.$method(request, $next(Rc::clone(&inside)), Sink(out.clone()));
            Called { result, requests: inside.seen.take(), events: out.take() }
        }
    };
}

impl<M: Middleware> Rig<M> {
    /// A middleware with this configuration, in a new world.
    pub fn new(config: M::Config) -> Result<Self, Error> {
        world::reset();
        Self::next_instance(config)
    }

    /// The same from a configuration as the manifest has it, as JSON: unknown keys are errors here too.
    pub fn from_json(config: &str) -> Result<Self, Error> {
        world::reset();
        with(|world| config.clone_into(&mut world.config));
        Ok(Self { middleware: crate::middleware::make(config)? })
    }

    /// Another instance in the same world: what it did not put into `state` is gone.
    pub fn next_instance(config: M::Config) -> Result<Self, Error> {
        Ok(Self { middleware: M::new(config)? })
    }

    onion!(
        /// Calls `on-reply` with these answers inside.
        on_reply OnReply ReplyRequest ReplyNext ReplyResponse
    );
    onion!(
        /// Calls `on-reasoning` with these answers inside.
        on_reasoning OnReasoning ReasoningRequest ReasoningNext ReasoningResponse
    );
    onion!(
        /// Calls `on-model-call` with these answers inside.
        on_model_call OnModelCall ModelRequest ModelNext ModelResponse
    );
    onion!(
        /// Calls `on-acting` with these answers inside.
        on_acting OnActing ToolRequest ToolNext ToolResponse
    );
    onion!(
        /// Calls `on-compress-context` with these answers inside.
        on_compress_context OnCompressContext CompressRequest CompressNext CompressResponse
    );

    /// Calls a tool, its arguments a JSON object as the model writes it.
    pub fn call_tool(&self, name: &str, arguments: &str) -> Called<ToolRequest, ToolResponse>
    where
        M: ToolSource,
    {
        let call_id = "call".to_owned();
        let out = Outward::of_tool(&call_id);
        let request = ToolRequest::from(ToolRequestData {
            call_id,
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            offered: Vec::new(),
            metadata: BTreeMap::new(),
        });
        let result = self.middleware.call_tool(request, Sink(out.clone()));
        Called { result, requests: Vec::new(), events: out.take() }
    }

    /// Calls `on-check-permission` with these decisions inside.
    pub fn on_check_permission(
        &self,
        request: PermissionRequest,
        answers: impl IntoIterator<Item = Answer<PermissionDecision>>,
    ) -> Called<PermissionRequest, PermissionDecision>
    where
        M: OnCheckPermission,
    {
        let inside = Inside::new(answers.into_iter().collect(), Outward::default());
        let result = self.middleware.on_check_permission(request, PermissionNext(Rc::clone(&inside)));
        Called { result, requests: inside.seen.take(), events: Vec::new() }
    }
}
