//! Between the contract's values and the host's. What a guest sends is checked here and nowhere else.

mod decision;
mod error;
mod event;
mod index;
mod json;
mod message;
mod model;
mod schema;
mod telemetry;
mod workspace;

pub(super) use decision::{permission_from_guest, permission_to_guest, verdict_from_guest};
pub(super) use error::{error_from_guest, error_to_guest};
pub(super) use event::{event_from_guest, event_to_guest, kind_names, kinds_from_guest, outcome_to_guest};
pub(super) use index::{document_to_guest, documents_from_guest, filter_from_guest, hit_to_guest};
pub(super) use json::json_from_guest;
pub(super) use message::{
    call_to_guest, content_from_guest, message_from_guest, message_to_guest, messages_from_guest,
    messages_to_guest, parts_from_guest, parts_to_guest, state_from_guest, state_to_guest,
};
pub(super) use model::{
    choice_from_guest, choice_to_guest, reason_to_guest, tool_to_guest, tools_from_guest, usage_to_guest,
};
pub(super) use schema::{compiled_schema, schema_from_guest};
pub(super) use telemetry::attributes_from_guest;
pub(super) use workspace::entry_to_guest;

/// Makes both directions between two enums of the same cases.
macro_rules! same_cases {
    ($to:ident, $from:ident, $ours:ident, $theirs:path { $($case:ident),+ $(,)? }) => {
        pub(in crate::sandbox) fn $to(value: $ours) -> $theirs {
            use $theirs as Wit;
            match value { $($ours::$case => Wit::$case),+ }
        }

        pub(in crate::sandbox) fn $from(value: $theirs) -> $ours {
            use $theirs as Wit;
            match value { $(Wit::$case => $ours::$case),+ }
        }
    };
}
use same_cases;
