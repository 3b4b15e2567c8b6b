//! What happens during a reply, as a stream of events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::message::{FinishReason, Message, ToolCall, ToolState, Usage, base64_text};

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// With a final answer.
    Replied,
    /// With nothing to say.
    Silent,
    /// Aborted by its caller.
    Aborted,
    /// With an error.
    Failed,
    /// It waits for a person or for a tool that runs outside.
    Parked,
}

/// One event. The contract's `event`; the JSON form is what `--json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[expect(missing_docs, reason = "each case and field is documented in wit/events.wit")]
pub enum Event {
    ReplyStart {
        reply_id: String,
        session_id: String,
        agent_name: String,
    },
    ReplyEnd {
        reply_id: String,
        outcome: Outcome,
        error: Option<Error>,
    },
    ModelCallStart {
        id: String,
        model: String,
    },
    ModelCallEnd {
        id: String,
        finish_reason: FinishReason,
        usage: Option<Usage>,
        error: Option<Error>,
    },
    TextStart {
        id: String,
    },
    TextDelta {
        id: String,
        text: String,
    },
    TextEnd {
        id: String,
    },
    ThinkingStart {
        id: String,
    },
    ThinkingDelta {
        id: String,
        text: String,
    },
    ThinkingEnd {
        id: String,
    },
    DataStart {
        id: String,
        media_type: String,
    },
    DataDelta {
        id: String,
        #[serde(with = "base64_text")]
        bytes: Vec<u8>,
    },
    DataEnd {
        id: String,
    },
    Hint {
        id: String,
        source: String,
        text: String,
    },
    ToolCallStart {
        call_id: String,
        name: String,
    },
    ToolCallDelta {
        call_id: String,
        text: String,
    },
    ToolCallEnd {
        call_id: String,
    },
    ToolResultStart {
        call_id: String,
        name: String,
    },
    ToolResultText {
        call_id: String,
        text: String,
    },
    ToolResultData {
        call_id: String,
        media_type: String,
        #[serde(with = "base64_text")]
        bytes: Vec<u8>,
    },
    ToolResultEnd {
        call_id: String,
        state: ToolState,
    },
    /// Everything since the start of the model call or tool result with this id is void.
    Withdrawn {
        id: String,
    },
    /// A message differs from what was streamed of it; this is what holds. Not only the final one: each step has one.
    MessageReplaced {
        message: Message,
    },
    /// A layer or a person changed a call; this is what runs.
    ToolCallReplaced {
        call: ToolCall,
    },
    Other {
        name: String,
        json: Value,
    },
}

/// A set of kinds of event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventKinds(u16);

impl EventKinds {
    /// No kind.
    pub const NONE: Self = Self(0);
    /// Text blocks.
    pub const TEXT: Self = Self(1);
    /// Thinking blocks.
    pub const THINKING: Self = Self(1 << 1);
    /// Data blocks.
    pub const DATA: Self = Self(1 << 2);
    /// Hints.
    pub const HINT: Self = Self(1 << 3);
    /// Tool calls.
    pub const TOOL_CALL: Self = Self(1 << 4);
    /// Tool results.
    pub const TOOL_RESULT: Self = Self(1 << 5);
    /// Starts and ends of model calls.
    pub const MODEL_CALL: Self = Self(1 << 6);
    /// Start and end of the reply.
    pub const REPLY: Self = Self(1 << 7);
    /// What corrects earlier events.
    pub const REVISION: Self = Self(1 << 8);
    /// Everything else.
    pub const OTHER: Self = Self(1 << 9);
    /// Every kind.
    pub const ALL: Self = Self((1 << 10) - 1);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every kind of `other` is in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Event {
    /// The kind of this event.
    pub fn kind(&self) -> EventKinds {
        match self {
            Self::TextStart { .. } | Self::TextDelta { .. } | Self::TextEnd { .. } => EventKinds::TEXT,
            Self::ThinkingStart { .. } | Self::ThinkingDelta { .. } | Self::ThinkingEnd { .. } => {
                EventKinds::THINKING
            }
            Self::DataStart { .. } | Self::DataDelta { .. } | Self::DataEnd { .. } => EventKinds::DATA,
            Self::Hint { .. } => EventKinds::HINT,
            Self::ToolCallStart { .. } | Self::ToolCallDelta { .. } | Self::ToolCallEnd { .. } => {
                EventKinds::TOOL_CALL
            }
            Self::ToolResultStart { .. }
            | Self::ToolResultText { .. }
            | Self::ToolResultData { .. }
            | Self::ToolResultEnd { .. } => EventKinds::TOOL_RESULT,
            Self::ModelCallStart { .. } | Self::ModelCallEnd { .. } => EventKinds::MODEL_CALL,
            Self::ReplyStart { .. } | Self::ReplyEnd { .. } => EventKinds::REPLY,
            Self::Withdrawn { .. } | Self::MessageReplaced { .. } | Self::ToolCallReplaced { .. } => {
                EventKinds::REVISION
            }
            Self::Other { .. } => EventKinds::OTHER,
        }
    }
}
