//! How many bytes a value is when it is copied between guest and host.

use wasmtime::component::Resource;

use super::bindings::cepa::middleware::{events, index, log, requests, state, types, workspace};
use super::json_room::parsed_size;

/// A value of the contract.
pub(super) trait Weight: Sized {
    /// The bytes of its texts and data, and of the places of its lists' elements. A handle weighs nothing.
    fn weight(&self) -> u64;

    /// The same of several, beside their places.
    fn weight_of_all(items: &[Self]) -> u64 {
        items.iter().map(Self::weight).sum()
    }

    /// The bytes that the JSON in it takes once it is parsed, beside its text.
    fn parsed(&self) -> u64 {
        0
    }

    /// The same of several.
    fn parsed_of_all(items: &[Self]) -> u64 {
        items.iter().map(Self::parsed).sum()
    }

    /// What the host holds of it when a guest hands it over.
    fn held(&self) -> u64 {
        self.weight() + self.parsed()
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

    fn parsed_of_all(_items: &[Self]) -> u64 {
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

    fn parsed(&self) -> u64 {
        T::parsed_of_all(self)
    }
}

impl<T: Weight> Weight for Option<T> {
    fn weight(&self) -> u64 {
        self.as_ref().map_or(0, T::weight)
    }

    fn parsed(&self) -> u64 {
        self.as_ref().map_or(0, T::parsed)
    }
}

impl<T: Weight, E: Weight> Weight for Result<T, E> {
    fn weight(&self) -> u64 {
        match self {
            Ok(value) => value.weight(),
            Err(error) => error.weight(),
        }
    }

    fn parsed(&self) -> u64 {
        match self {
            Ok(value) => value.parsed(),
            Err(error) => error.parsed(),
        }
    }
}

impl<A: Weight, B: Weight> Weight for (A, B) {
    fn weight(&self) -> u64 {
        self.0.weight() + self.1.weight()
    }

    fn parsed(&self) -> u64 {
        self.0.parsed() + self.1.parsed()
    }
}

/// Records weigh what their named fields weigh; fields of no weight are not named. Those behind the arrow are JSON.
macro_rules! records {
    ($($ty:ty { $($field:ident),+ } $(=> { $($json:ident),+ })?)+) => {
        $(impl Weight for $ty {
            fn weight(&self) -> u64 {
                0 $(+ self.$field.weight())+
            }

            fn parsed(&self) -> u64 {
                0 $(+ self.$field.parsed())+ $($(+ parsed_size(&self.$json))+)?
            }
        })+
    };
}

records! {
    types::Error { code, message }
    types::DataBlock { media_type, source, name }
    types::ThinkingBlock { text, signature }
    types::HintBlock { source, text }
    types::ToolCall { id, name, arguments } => { arguments }
    types::ToolResult { call_id, name, content }
    types::OtherBlock { name, json } => { json }
    types::OtherPart { name, json } => { json }
    types::Message { id, name, content, metadata } => { metadata }
    types::ToolDefinition { name, description, parameters, metadata } => { parameters, metadata }
    types::Usage { details }
    workspace::Mount { name }
    workspace::Entry { name }
    index::Document { id, text, metadata } => { metadata }
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
    events::OtherEvent { name, json } => { json }
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

            fn parsed(&self) -> u64 {
                use $ty as Variant;
                match self {
                    $(Variant::$case(value) => value.parsed(),)+
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

    #[test]
    fn what_is_handed_over_weighs_its_json_parsed_as_well() {
        let block = |json: &str| {
            let other = types::OtherBlock { name: "name".to_owned(), json: json.to_owned() };
            Some(vec![types::ContentBlock::Other(other)])
        };
        let zeros = "[0,0,0,0]";
        assert_eq!(block(zeros).held() - block(zeros).weight(), parsed_size(zeros));
        assert_eq!(block("").held(), block("").weight());
        assert_eq!(vec![0_u8; 1_000].held(), 1_000);
        assert_eq!("[0,0]".to_owned().held(), 5, "a text is no JSON unless it is said to be");
    }
}
