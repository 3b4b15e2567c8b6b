//! How many bytes a value is when it is copied between guest and host.

use wasmtime::component::Resource;

use super::bindings::cepa::middleware::{events, index, log, requests, state, types, workspace};

/// A value of the contract.
pub(super) trait Weight: Sized {
    /// The bytes of its texts and data, and of the places of its lists' elements. A handle weighs nothing.
    fn weight(&self) -> u64;

    /// The same of several, beside their places.
    fn weight_of_all(items: &[Self]) -> u64 {
        items.iter().map(Self::weight).sum()
    }
}

/// Values without texts or data.
macro_rules! weightless {
    ($($ty:ty),+ $(,)?) => {
        $(impl Weight for $ty {
            fn weight(&self) -> u64 {
                0
            }
        })+
    };
}

weightless!(
    (),
    bool,
    u16,
    u32,
    u64,
    f64,
    log::Level,
    state::Scope,
    workspace::EntryKind,
    index::Scope,
    events::EventKinds,
    requests::Permission,
    types::Role,
    types::ErrorKind,
    types::ToolState,
    types::FinishReason,
    types::Outcome,
);

impl<T: 'static> Weight for Resource<T> {
    fn weight(&self) -> u64 {
        0
    }
}

/// Bytes are counted by their places alone.
impl Weight for u8 {
    fn weight(&self) -> u64 {
        0
    }

    fn weight_of_all(_items: &[Self]) -> u64 {
        0
    }
}

impl Weight for String {
    fn weight(&self) -> u64 {
        self.len() as u64
    }
}

impl<T: Weight> Weight for Vec<T> {
    fn weight(&self) -> u64 {
        size_of_val(self.as_slice()) as u64 + T::weight_of_all(self)
    }
}

impl<T: Weight> Weight for Option<T> {
    fn weight(&self) -> u64 {
        self.as_ref().map_or(0, T::weight)
    }
}

impl<T: Weight, E: Weight> Weight for Result<T, E> {
    fn weight(&self) -> u64 {
        match self {
            Ok(value) => value.weight(),
            Err(error) => error.weight(),
        }
    }
}

impl<A: Weight, B: Weight> Weight for (A, B) {
    fn weight(&self) -> u64 {
        self.0.weight() + self.1.weight()
    }
}

/// Records weigh what their named fields weigh; fields of no weight are not named.
macro_rules! records {
    ($($ty:ty { $($field:ident),+ })+) => {
        $(impl Weight for $ty {
            fn weight(&self) -> u64 {
                0 $(+ self.$field.weight())+
            }
        })+
    };
}

records! {
    types::Error { code, message }
    types::DataBlock { media_type, source, name }
    types::ThinkingBlock { text, signature }
    types::HintBlock { source, text }
    types::ToolCall { id, name, arguments }
    types::ToolResult { call_id, name, content }
    types::OtherBlock { name, json }
    types::OtherPart { name, json }
    types::Message { id, name, content, metadata }
    types::ToolDefinition { name, description, parameters, metadata }
    types::Usage { details }
    workspace::Mount { name }
    workspace::Entry { name }
    index::Document { id, text, metadata }
    index::Hit { document }
    requests::PermissionDecision { reason }
    events::TextDelta { id, text }
    events::DataStart { id, media_type }
    events::DataDelta { id, bytes }
    events::Hint { id, source, text }
    events::ToolStart { call_id, name }
    events::ToolText { call_id, text }
    events::ToolData { call_id, media_type, bytes }
    events::ToolEnd { call_id }
    events::ModelCallStart { id, model }
    events::ModelCallEnd { id, usage, error }
    events::ReplyStart { reply_id, session_id, agent_name }
    events::ReplyEnd { reply_id, error }
    events::OtherEvent { name, json }
}

/// Variants weigh what the value of their case weighs; cases without one weigh nothing.
macro_rules! variants {
    ($($ty:path { $($case:ident),+ } $([ $($bare:ident),+ ])?)+) => {
        $(impl Weight for $ty {
            fn weight(&self) -> u64 {
                use $ty as Variant;
                match self {
                    $(Variant::$case(value) => value.weight(),)+
                    $($(Variant::$bare)|+ => 0,)?
                }
            }
        })+
    };
}

variants! {
    types::DataSource { Bytes, Url }
    types::ResultPart { Text, Data, Other }
    types::ContentBlock { Text, Thinking, Data, Hint, ToolCall, ToolResult, Other }
    types::ToolChoice { Named } [Auto, None, Required]
    requests::Verdict { Replace, Retry } [Accept]
    events::Event {
        ReplyStart, ReplyEnd, ModelCallStart, ModelCallEnd, TextStart, TextDelta, TextEnd, ThinkingStart,
        ThinkingDelta, ThinkingEnd, DataStart, DataDelta, DataEnd, Hint, ToolCallStart, ToolCallDelta, ToolCallEnd,
        ToolResultStart, ToolResultText, ToolResultData, ToolResultEnd, Withdrawn, MessageReplaced,
        ToolCallReplaced, Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_weighs_its_texts_its_data_and_the_places_of_its_elements() {
        let call =
            types::ToolCall { id: "c1".to_owned(), name: "look".to_owned(), arguments: "{}".to_owned() };
        assert_eq!(call.weight(), 8);
        assert_eq!(vec![0_u8; 1_000].weight(), 1_000);
        let empty = vec![String::new(); 10];
        assert_eq!(empty.weight(), 10 * size_of::<String>() as u64, "ten empty texts are not free");
        assert_eq!(Some(("key".to_owned(), "value".to_owned())).weight(), 8);
        let refused: Result<(), types::Error> = Err(types::Error {
            kind: types::ErrorKind::Limit,
            code: "x".to_owned(),
            message: "full".to_owned(),
            retryable: false,
            retry_after_ms: None,
            status: None,
        });
        assert_eq!(refused.weight(), 5);
    }
}
