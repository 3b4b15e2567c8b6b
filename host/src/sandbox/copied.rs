//! How much the host copies when a guest edits what another handle shares. What the copy shares in its turn, such as
//! the messages of a model request, costs nothing.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind};
use crate::event::Outcome;
use crate::message::{
    Block, Data, DataSource, FinishReason, Message, ResultPart, Role, ToolCall, ToolChoice, ToolResult,
    ToolState, Usage,
};
use crate::request::{
    CompressRequest, CompressRequestData, ModelRequest, ModelRequestData, ModelResponse, ModelResponseData,
    ReasoningRequest, ReasoningRequestData, ReasoningResponse, ReasoningResponseData, ReplyRequest,
    ReplyRequestData, ReplyResponse, ReplyResponseData, ToolRequest, ToolRequestData, ToolResponse,
    ToolResponseData,
};

use super::json_room::{object_size, value_size};

/// A request or response that handles share.
pub(super) trait Shared: 'static {
    /// The bytes that an edit copies: none where no other handle shares the data.
    fn copied_by_edit(&self) -> u64;

    /// The bytes that it holds, whoever shares it.
    fn held(&self) -> u64;
}

macro_rules! shared {
    ($($ty:ty),+ $(,)?) => {
        $(impl Shared for $ty {
            fn copied_by_edit(&self) -> u64 {
                if self.is_shared() { self.held() } else { 0 }
            }

            fn held(&self) -> u64 {
                size_of_val(&**self) as u64 + self.bulk()
            }
        })+
    };
}

shared!(
    ReplyRequest,
    ReplyResponse,
    ReasoningRequest,
    ReasoningResponse,
    ModelRequest,
    ModelResponse,
    ToolRequest,
    ToolResponse,
    CompressRequest,
);

/// What has parts elsewhere in the memory, which a copy of it copies.
trait Bulk {
    /// The bytes of these parts.
    fn bulk(&self) -> u64;
}

/// Values without such parts.
macro_rules! flat {
    ($($ty:ty),+ $(,)?) => {
        $(impl Bulk for $ty {
            fn bulk(&self) -> u64 {
                0
            }
        })+
    };
}

flat!(bool, u16, u32, ErrorKind, FinishReason, Outcome, Role, ToolState);

/// Counted once, wherever it is shared.
impl<T> Bulk for Arc<T> {
    fn bulk(&self) -> u64 {
        0
    }
}

impl Bulk for String {
    fn bulk(&self) -> u64 {
        self.len() as u64
    }
}

impl<T: Bulk> Bulk for Option<T> {
    fn bulk(&self) -> u64 {
        self.as_ref().map_or(0, T::bulk)
    }
}

impl<T: Bulk> Bulk for Vec<T> {
    fn bulk(&self) -> u64 {
        size_of_val(self.as_slice()) as u64 + self.iter().map(T::bulk).sum::<u64>()
    }
}

impl<A: Bulk, B: Bulk> Bulk for (A, B) {
    fn bulk(&self) -> u64 {
        self.0.bulk() + self.1.bulk()
    }
}

impl Bulk for Value {
    fn bulk(&self) -> u64 {
        value_size(self)
    }
}

impl Bulk for Map<String, Value> {
    fn bulk(&self) -> u64 {
        object_size(self)
    }
}

/// Records have the parts of their fields. All are named, so that one that is added is counted or does not compile.
macro_rules! records {
    ($($ty:ident { $($field:ident),+ $(,)? })+) => {
        $(impl Bulk for $ty {
            fn bulk(&self) -> u64 {
                let Self { $($field),+ } = self;
                0 $(+ $field.bulk())+
            }
        })+
    };
}

records! {
    ReplyRequestData { input, resumed, output_schema, tool_choice, metadata }
    ReplyResponseData { outcome, message, structured_output, error, usage, steps }
    ReasoningRequestData { step, tool_choice, tools, catalogue, hints, parameters }
    ReasoningResponseData { message, usage, finish_reason }
    ModelRequestData {
        model, system_prompt, messages, tools, tool_choice, output_schema, parameters, internal, metadata
    }
    ModelResponseData { id, model, reported_model, provider, message, usage, finish_reason, metadata }
    ToolRequestData { call, offered, metadata }
    ToolResponseData { state, content, metadata }
    CompressRequestData { step, message_count, estimated_tokens, context_tokens, instructions }
    Message { id, role, name, content, metadata }
    Data { media_type, source, name }
    ToolCall { id, name, arguments }
    ToolResult { call_id, name, state, content }
    Usage {
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, details
    }
    Error { kind, code, message, retryable, retry_after_ms, status }
}

impl Bulk for Block {
    fn bulk(&self) -> u64 {
        match self {
            Self::Text { text } => text.bulk(),
            Self::Thinking { text, signature } => text.bulk() + signature.bulk(),
            Self::Data(data) => data.bulk(),
            Self::Hint { source, text } => source.bulk() + text.bulk(),
            Self::ToolCall(call) => call.bulk(),
            Self::ToolResult(result) => result.bulk(),
            Self::Other { name, json } => name.bulk() + json.bulk(),
        }
    }
}

impl Bulk for DataSource {
    fn bulk(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Url(url) => url.bulk(),
        }
    }
}

impl Bulk for ResultPart {
    fn bulk(&self) -> u64 {
        match self {
            Self::Text { text } => text.bulk(),
            Self::Data(data) => data.bulk(),
            Self::Other { name, json } => name.bulk() + json.bulk(),
        }
    }
}

impl Bulk for ToolChoice {
    fn bulk(&self) -> u64 {
        match self {
            Self::Auto | Self::None | Self::Required => 0,
            Self::Named(name) => name.bulk(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_copies_what_another_handle_shares_and_nothing_otherwise() {
        let messages = Arc::new(vec![Arc::new(Message::user("x".repeat(10_000)))]);
        let data = ModelRequestData {
            system_prompt: Some("x".repeat(1_000)),
            messages,
            ..ModelRequestData::default()
        };
        let request = ModelRequest::new(data);
        assert_eq!(request.copied_by_edit(), 0);
        let mut other = request.clone();
        let copied = size_of::<ModelRequestData>() as u64 + 1_000;
        assert_eq!((request.copied_by_edit(), other.copied_by_edit()), (copied, copied));
        other.edit().model = "m".to_owned();
        assert_eq!((request.copied_by_edit(), other.copied_by_edit()), (0, 0));
    }

    #[test]
    fn all_that_a_response_has_is_copied() {
        let json = serde_json::json!({ "name": "text" });
        let content = vec![
            Block::Text { text: "text".to_owned() },
            Block::Other { name: "name".to_owned(), json: json.clone() },
        ];
        let response = ModelResponse::answer(content);
        let other = response.clone();
        let parts = 2 * size_of::<Block>() as u64 + 4 + 4 + value_size(&json);
        assert_eq!(other.copied_by_edit(), size_of::<ModelResponseData>() as u64 + parts);
        drop(response);
        assert_eq!(other.copied_by_edit(), 0);
    }
}
