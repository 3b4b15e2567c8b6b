//! The hooks, as types: what each wraps and how a layer is called at it.

use std::sync::Arc;

use crate::error::Error;
use crate::event::Outcome;
use crate::message::ToolState;
use crate::request::{
    CompressRequest, CompressResponse, ModelRequest, ModelResponse, Permission, PermissionDecision,
    PermissionRequest, ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest,
    ToolResponse,
};

use super::layer::{HookFuture, Layer};
use super::next::Next;
use super::sink::Sink;

/// A named point of the loop. The names are those of the contract's export interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookKind {
    /// `on-reply`.
    Reply,
    /// `on-reasoning`.
    Reasoning,
    /// `on-model-call`.
    ModelCall,
    /// `on-acting`.
    Acting,
    /// `on-compress-context`.
    CompressContext,
    /// `on-check-permission`.
    CheckPermission,
    /// `on-system-prompt`.
    SystemPrompt,
    /// `on-events`.
    Events,
    /// `on-draft`.
    Draft,
    /// `tool-source`.
    ToolSource,
    /// `on-turn-end`.
    TurnEnd,
}

impl HookKind {
    /// Every hook, in the order of the contract.
    pub const ALL: [Self; 11] = [
        Self::Reply,
        Self::Reasoning,
        Self::ModelCall,
        Self::Acting,
        Self::CompressContext,
        Self::CheckPermission,
        Self::SystemPrompt,
        Self::Events,
        Self::Draft,
        Self::ToolSource,
        Self::TurnEnd,
    ];

    /// The name of the export interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reply => "on-reply",
            Self::Reasoning => "on-reasoning",
            Self::ModelCall => "on-model-call",
            Self::Acting => "on-acting",
            Self::CompressContext => "on-compress-context",
            Self::CheckPermission => "on-check-permission",
            Self::SystemPrompt => "on-system-prompt",
            Self::Events => "on-events",
            Self::Draft => "on-draft",
            Self::ToolSource => "tool-source",
            Self::TurnEnd => "on-turn-end",
        }
    }

    /// The hook of an export interface's name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A set of hooks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookSet(u16);

impl HookSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// The set with one hook more.
    #[must_use]
    pub const fn with(self, kind: HookKind) -> Self {
        Self(self.0 | 1 << kind as u16)
    }

    /// Whether the hook is in the set.
    pub const fn contains(self, kind: HookKind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }

    /// Whether no hook is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The hooks of the set, in the order of the contract.
    pub fn iter(self) -> impl Iterator<Item = HookKind> {
        HookKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<HookKind> for HookSet {
    fn from_iter<I: IntoIterator<Item = HookKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// What a second run of the same layer makes void of what the first had streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withdraw<'a> {
    /// Nothing is streamed.
    Nothing,
    /// Every model call and tool result begun since the layer was entered.
    All,
    /// The tool result of this call alone: others may stream beside it.
    Call(&'a str),
}

/// What holds instead of what a layer answered without a grant for it.
#[derive(Debug)]
pub struct Held<T> {
    /// The answer that holds.
    pub result: Result<T, Error>,
    /// The grant that is missing.
    pub capability: &'static str,
    /// What the answer was about.
    pub object: String,
}

/// An onion hook.
pub trait Hook: Sized + Send + Sync + 'static {
    /// What goes in.
    type Request: Clone + Send + Sync + 'static;
    /// What comes out.
    type Response: Clone + Send + Sync + 'static;
    /// Which hook this is.
    const KIND: HookKind;
    /// Whether runs of one layer share what they change, so that a new one ends an earlier one that is still open.
    const ALONE: bool = false;
    /// Whether a run can have effects that nothing takes back, so that one that was cut off is not run again.
    const ACTS: bool = false;

    /// Calls one layer.
    fn call(
        layer: Arc<dyn Layer>,
        request: Self::Request,
        next: Next<Self>,
        out: Sink,
    ) -> HookFuture<Self::Response>;

    /// Whether this answer says that the reply waits for a person; no layer can replace it.
    fn is_parked(_response: &Self::Response) -> bool {
        false
    }

    /// What a second run with this request withdraws.
    fn withdraw(_request: &Self::Request) -> Withdraw<'_> {
        Withdraw::Nothing
    }

    /// Whether some answers need a grant, so that what is inside is remembered for [`Hook::held`].
    const GRANTED: bool = false;

    /// What holds in place of the answer of a layer without the grant, and what the answer was about. `inner` is what
    /// its last run of `next` came to.
    fn held(
        _request: &Self::Request,
        _inner: Option<Result<Self::Response, Error>>,
        _response: &Self::Response,
    ) -> Option<Held<Self::Response>> {
        None
    }

    /// Whether nothing was changed from one request to the other.
    fn same_request(before: &Self::Request, after: &Self::Request) -> bool;

    /// Whether nothing was changed from one response to the other.
    fn same_response(before: &Self::Response, after: &Self::Response) -> bool;
}

/// Defines the marker type of an onion hook.
macro_rules! hook {
    ($(#[$doc:meta])* $name:ident, $request:ty => $response:ty, $method:ident { $($extra:tt)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Hook for $name {
            type Request = $request;
            type Response = $response;
            const KIND: HookKind = HookKind::$name;

            fn call(
                layer: Arc<dyn Layer>,
                request: $request,
                next: Next<Self>,
                out: Sink,
            ) -> HookFuture<$response> {
                layer.$method(request, next, out)
            }

            fn same_request(before: &$request, after: &$request) -> bool {
                before.same(after)
            }

            $($extra)*
        }
    };
}

hook! {
    /// A whole reply.
    Reply, ReplyRequest => ReplyResponse, on_reply {
        const ALONE: bool = true;
        const ACTS: bool = true;

        fn is_parked(response: &ReplyResponse) -> bool {
            response.outcome == Outcome::Parked
        }

        fn withdraw(_request: &ReplyRequest) -> Withdraw<'_> {
            Withdraw::All
        }

        fn same_response(before: &ReplyResponse, after: &ReplyResponse) -> bool {
            before.same(after)
        }
    }
}

hook! {
    /// One step's reasoning.
    Reasoning, ReasoningRequest => ReasoningResponse, on_reasoning {
        const ALONE: bool = true;

        fn withdraw(_request: &ReasoningRequest) -> Withdraw<'_> {
            Withdraw::All
        }

        fn same_response(before: &ReasoningResponse, after: &ReasoningResponse) -> bool {
            before.same(after)
        }
    }
}

hook! {
    /// One request to a model.
    ModelCall, ModelRequest => ModelResponse, on_model_call {
        fn withdraw(_request: &ModelRequest) -> Withdraw<'_> {
            Withdraw::All
        }

        fn same_response(before: &ModelResponse, after: &ModelResponse) -> bool {
            before.same(after)
        }
    }
}

hook! {
    /// One tool execution.
    Acting, ToolRequest => ToolResponse, on_acting {
        const ALONE: bool = true;
        const ACTS: bool = true;

        fn is_parked(response: &ToolResponse) -> bool {
            response.state == ToolState::Parked
        }

        fn withdraw(request: &ToolRequest) -> Withdraw<'_> {
            Withdraw::Call(&request.call.id)
        }

        fn same_response(before: &ToolResponse, after: &ToolResponse) -> bool {
            before.same(after)
        }
    }
}

hook! {
    /// The check whether to compress the context, and the compression.
    CompressContext, CompressRequest => CompressResponse, on_compress_context {
        fn same_response(before: &CompressResponse, after: &CompressResponse) -> bool {
            before.same(after)
        }
    }
}

hook! {
    /// The decision whether a tool call may run.
    CheckPermission, PermissionRequest => PermissionDecision, on_check_permission {
        const GRANTED: bool = true;

        fn held(
            request: &PermissionRequest,
            inner: Option<Result<PermissionDecision, Error>>,
            response: &PermissionDecision,
        ) -> Option<Held<PermissionDecision>> {
            // A layer that did not look inside answers in the place of the rules alone.
            let inner = inner.unwrap_or_else(|| Ok(request.ruled.clone()));
            // A check that failed inside is a denial.
            let least = inner.as_ref().map_or(Permission::Deny, |inner| inner.permission);
            (response.permission < least).then(|| Held {
                result: inner,
                capability: "permissions",
                object: request.call.name.clone(),
            })
        }

        fn same_response(before: &PermissionDecision, after: &PermissionDecision) -> bool {
            before == after
        }
    }
}
