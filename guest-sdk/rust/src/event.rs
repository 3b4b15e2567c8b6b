//! Making and reading events.

use crate::{Event, EventKinds, OtherEvent};

impl Event {
    /// An event of a layer's own; `value` becomes its JSON.
    pub fn other(name: &str, value: &serde_json::Value) -> Self {
        Self::Other(OtherEvent { name: name.to_owned(), json: value.to_string() })
    }

    /// The kind of this event.
    pub fn kind(&self) -> EventKinds {
        match self {
            Self::TextStart(_) | Self::TextDelta(_) | Self::TextEnd(_) => EventKinds::TEXT,
            Self::ThinkingStart(_) | Self::ThinkingDelta(_) | Self::ThinkingEnd(_) => EventKinds::THINKING,
            Self::DataStart(_) | Self::DataDelta(_) | Self::DataEnd(_) => EventKinds::DATA,
            Self::Hint(_) => EventKinds::HINT,
            Self::ToolCallStart(_) | Self::ToolCallDelta(_) | Self::ToolCallEnd(_) => EventKinds::TOOL_CALL,
            Self::ToolResultStart(_)
            | Self::ToolResultText(_)
            | Self::ToolResultData(_)
            | Self::ToolResultEnd(_) => EventKinds::TOOL_RESULT,
            Self::ModelCallStart(_) | Self::ModelCallEnd(_) => EventKinds::MODEL_CALL,
            Self::ReplyStart(_) | Self::ReplyEnd(_) => EventKinds::REPLY,
            Self::Withdrawn(_) | Self::MessageReplaced(_) | Self::ToolCallReplaced(_) => EventKinds::REVISION,
            Self::Other(_) => EventKinds::OTHER,
        }
    }
}
