//! Events.

use super::error::{error_from_guest, error_to_guest};
use super::json::json_from_guest;
use super::message::{
    call_from_guest, call_to_guest, message_from_guest, message_to_guest, state_from_guest, state_to_guest,
};
use super::model::{reason_from_guest, reason_to_guest, usage_from_guest, usage_to_guest};
use super::same_cases;
use crate::error::Error;
use crate::event::{Event, EventKinds, Outcome};
use crate::sandbox::bindings::cepa::middleware::{events as wit, types};

same_cases!(
    outcome_to_guest,
    outcome_from_guest,
    Outcome,
    types::Outcome { Replied, Silent, Aborted, Failed, Parked }
);

pub(in crate::sandbox) fn event_to_guest(event: Event) -> wit::Event {
    match event {
        Event::ReplyStart { reply_id, session_id, agent_name } => {
            wit::Event::ReplyStart(wit::ReplyStart { reply_id, session_id, agent_name })
        }
        Event::ReplyEnd { reply_id, outcome, error } => wit::Event::ReplyEnd(wit::ReplyEnd {
            reply_id,
            outcome: outcome_to_guest(outcome),
            error: error.map(error_to_guest),
        }),
        Event::ModelCallStart { id, model } => wit::Event::ModelCallStart(wit::ModelCallStart { id, model }),
        Event::ModelCallEnd { id, finish_reason, usage, error } => {
            wit::Event::ModelCallEnd(wit::ModelCallEnd {
                id,
                finish_reason: reason_to_guest(finish_reason),
                usage: usage.map(usage_to_guest),
                error: error.map(error_to_guest),
            })
        }
        Event::TextStart { id } => wit::Event::TextStart(id),
        Event::TextDelta { id, text } => wit::Event::TextDelta(wit::TextDelta { id, text }),
        Event::TextEnd { id } => wit::Event::TextEnd(id),
        Event::ThinkingStart { id } => wit::Event::ThinkingStart(id),
        Event::ThinkingDelta { id, text } => wit::Event::ThinkingDelta(wit::TextDelta { id, text }),
        Event::ThinkingEnd { id } => wit::Event::ThinkingEnd(id),
        Event::DataStart { id, media_type } => wit::Event::DataStart(wit::DataStart { id, media_type }),
        Event::DataDelta { id, bytes } => wit::Event::DataDelta(wit::DataDelta { id, bytes }),
        Event::DataEnd { id } => wit::Event::DataEnd(id),
        Event::Hint { id, source, text } => wit::Event::Hint(wit::Hint { id, source, text }),
        Event::ToolCallStart { call_id, name } => wit::Event::ToolCallStart(wit::ToolStart { call_id, name }),
        Event::ToolCallDelta { call_id, text } => wit::Event::ToolCallDelta(wit::ToolText { call_id, text }),
        Event::ToolCallEnd { call_id } => wit::Event::ToolCallEnd(call_id),
        Event::ToolResultStart { call_id, name } => {
            wit::Event::ToolResultStart(wit::ToolStart { call_id, name })
        }
        Event::ToolResultText { call_id, text } => {
            wit::Event::ToolResultText(wit::ToolText { call_id, text })
        }
        Event::ToolResultData { call_id, media_type, bytes } => {
            wit::Event::ToolResultData(wit::ToolData { call_id, media_type, bytes })
        }
        Event::ToolResultEnd { call_id, state } => {
            wit::Event::ToolResultEnd(wit::ToolEnd { call_id, state: state_to_guest(state) })
        }
        Event::Withdrawn { id } => wit::Event::Withdrawn(id),
        Event::MessageReplaced { message } => wit::Event::MessageReplaced(message_to_guest(message)),
        Event::ToolCallReplaced { call } => wit::Event::ToolCallReplaced(call_to_guest(call)),
        Event::Other { name, json } => wit::Event::Other(wit::OtherEvent { name, json: json.to_string() }),
    }
}

pub(in crate::sandbox) fn event_from_guest(event: wit::Event) -> Result<Event, Error> {
    Ok(match event {
        wit::Event::ReplyStart(e) => {
            Event::ReplyStart { reply_id: e.reply_id, session_id: e.session_id, agent_name: e.agent_name }
        }
        wit::Event::ReplyEnd(e) => Event::ReplyEnd {
            reply_id: e.reply_id,
            outcome: outcome_from_guest(e.outcome),
            error: e.error.map(error_from_guest),
        },
        wit::Event::ModelCallStart(e) => Event::ModelCallStart { id: e.id, model: e.model },
        wit::Event::ModelCallEnd(e) => Event::ModelCallEnd {
            id: e.id,
            finish_reason: reason_from_guest(e.finish_reason),
            usage: e.usage.map(usage_from_guest),
            error: e.error.map(error_from_guest),
        },
        wit::Event::TextStart(id) => Event::TextStart { id },
        wit::Event::TextDelta(e) => Event::TextDelta { id: e.id, text: e.text },
        wit::Event::TextEnd(id) => Event::TextEnd { id },
        wit::Event::ThinkingStart(id) => Event::ThinkingStart { id },
        wit::Event::ThinkingDelta(e) => Event::ThinkingDelta { id: e.id, text: e.text },
        wit::Event::ThinkingEnd(id) => Event::ThinkingEnd { id },
        wit::Event::DataStart(e) => Event::DataStart { id: e.id, media_type: e.media_type },
        wit::Event::DataDelta(e) => Event::DataDelta { id: e.id, bytes: e.bytes },
        wit::Event::DataEnd(id) => Event::DataEnd { id },
        wit::Event::Hint(e) => Event::Hint { id: e.id, source: e.source, text: e.text },
        wit::Event::ToolCallStart(e) => Event::ToolCallStart { call_id: e.call_id, name: e.name },
        wit::Event::ToolCallDelta(e) => Event::ToolCallDelta { call_id: e.call_id, text: e.text },
        wit::Event::ToolCallEnd(call_id) => Event::ToolCallEnd { call_id },
        wit::Event::ToolResultStart(e) => Event::ToolResultStart { call_id: e.call_id, name: e.name },
        wit::Event::ToolResultText(e) => Event::ToolResultText { call_id: e.call_id, text: e.text },
        wit::Event::ToolResultData(e) => {
            Event::ToolResultData { call_id: e.call_id, media_type: e.media_type, bytes: e.bytes }
        }
        wit::Event::ToolResultEnd(e) => {
            Event::ToolResultEnd { call_id: e.call_id, state: state_from_guest(e.state) }
        }
        wit::Event::Withdrawn(id) => Event::Withdrawn { id },
        wit::Event::MessageReplaced(message) => {
            Event::MessageReplaced { message: message_from_guest(message)? }
        }
        wit::Event::ToolCallReplaced(call) => Event::ToolCallReplaced { call: call_from_guest(call) },
        wit::Event::Other(e) => {
            Event::Other { json: json_from_guest("the event's `json`", &e.json)?, name: e.name }
        }
    })
}

/// The kinds of event, by their names in the contract.
const KINDS: [(&str, wit::EventKinds, EventKinds); 10] = [
    ("text", wit::EventKinds::TEXT, EventKinds::TEXT),
    ("thinking", wit::EventKinds::THINKING, EventKinds::THINKING),
    ("data", wit::EventKinds::DATA, EventKinds::DATA),
    ("hint", wit::EventKinds::HINT, EventKinds::HINT),
    ("tool-call", wit::EventKinds::TOOL_CALL, EventKinds::TOOL_CALL),
    ("tool-result", wit::EventKinds::TOOL_RESULT, EventKinds::TOOL_RESULT),
    ("model-call", wit::EventKinds::MODEL_CALL, EventKinds::MODEL_CALL),
    ("reply", wit::EventKinds::REPLY, EventKinds::REPLY),
    ("revision", wit::EventKinds::REVISION, EventKinds::REVISION),
    ("other", wit::EventKinds::OTHER, EventKinds::OTHER),
];

/// The kinds of event that a guest asks for.
pub(in crate::sandbox) fn kinds_from_guest(kinds: wit::EventKinds) -> EventKinds {
    KINDS
        .into_iter()
        .filter(|(_, wit, _)| kinds.contains(*wit))
        .fold(EventKinds::NONE, |set, (.., kind)| set.with(kind))
}

/// Their names.
pub(in crate::sandbox) fn kind_names(kinds: wit::EventKinds) -> Vec<&'static str> {
    KINDS.into_iter().filter(|(_, wit, _)| kinds.contains(*wit)).map(|(name, ..)| name).collect()
}
