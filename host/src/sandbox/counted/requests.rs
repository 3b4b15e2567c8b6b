//! `requests`.

use wasmtime::component::Resource;

use crate::request::{
    CompressRequest, CompressResponse, Draft, ModelRequest, ModelResponse, PermissionRequest,
    ReasoningRequest, ReasoningResponse, ReplyRequest, ReplyResponse, ToolRequest, ToolResponse, TurnSummary,
};
use crate::sandbox::bindings::cepa::middleware::{events, requests, types};

use super::{Answer, Counted, counted};

impl types::Host for Counted<'_> {}
impl events::Host for Counted<'_> {}
impl requests::Host for Counted<'_> {}

counted! {
    requests::HostReplyRequest {
        fn clone(this: Resource<ReplyRequest>) -> Resource<ReplyRequest>;
        fn input(this: Resource<ReplyRequest>) -> Vec<types::Message>;
        fn set_input(this: Resource<ReplyRequest>, messages: Vec<types::Message>) -> Answer<()>;
        fn resumed(this: Resource<ReplyRequest>) -> bool;
        fn output_schema(this: Resource<ReplyRequest>) -> Option<String>;
        async fn set_output_schema(this: Resource<ReplyRequest>, schema: Option<String>) -> Answer<()>;
        fn tool_choice(this: Resource<ReplyRequest>) -> types::ToolChoice;
        fn set_tool_choice(this: Resource<ReplyRequest>, choice: types::ToolChoice) -> ();
        fn metadata(this: Resource<ReplyRequest>, key: String) -> Option<String>;
        fn set_metadata(this: Resource<ReplyRequest>, key: String, value: Option<String>) -> Answer<()>;
        fn drop(this: Resource<ReplyRequest>) -> ();
    }

    requests::HostReplyResponse {
        fn new(content: Vec<types::ContentBlock>) -> Resource<ReplyResponse>;
        fn clone(this: Resource<ReplyResponse>) -> Resource<ReplyResponse>;
        fn outcome(this: Resource<ReplyResponse>) -> types::Outcome;
        fn message(this: Resource<ReplyResponse>) -> Option<types::Message>;
        fn text(this: Resource<ReplyResponse>) -> String;
        fn set_content(this: Resource<ReplyResponse>, content: Vec<types::ContentBlock>) -> Answer<()>;
        fn structured_output(this: Resource<ReplyResponse>) -> Option<String>;
        fn error(this: Resource<ReplyResponse>) -> Option<types::Error>;
        fn usage(this: Resource<ReplyResponse>) -> types::Usage;
        fn steps(this: Resource<ReplyResponse>) -> u32;
        fn drop(this: Resource<ReplyResponse>) -> ();
    }

    requests::HostReasoningRequest {
        fn clone(this: Resource<ReasoningRequest>) -> Resource<ReasoningRequest>;
        fn step(this: Resource<ReasoningRequest>) -> u32;
        fn tool_choice(this: Resource<ReasoningRequest>) -> types::ToolChoice;
        fn set_tool_choice(this: Resource<ReasoningRequest>, choice: types::ToolChoice) -> ();
        fn tools(this: Resource<ReasoningRequest>) -> Vec<String>;
        fn set_tools(this: Resource<ReasoningRequest>, names: Vec<String>) -> Answer<()>;
        fn hints(this: Resource<ReasoningRequest>) -> Vec<(String, String)>;
        fn add_hint(this: Resource<ReasoningRequest>, source: String, text: String) -> ();
        fn parameter(this: Resource<ReasoningRequest>, name: String) -> Option<String>;
        fn set_parameter(this: Resource<ReasoningRequest>, name: String, value: Option<String>) -> Answer<()>;
        fn drop(this: Resource<ReasoningRequest>) -> ();
    }

    requests::HostReasoningResponse {
        fn new(content: Vec<types::ContentBlock>) -> Resource<ReasoningResponse>;
        fn clone(this: Resource<ReasoningResponse>) -> Resource<ReasoningResponse>;
        fn message(this: Resource<ReasoningResponse>) -> types::Message;
        fn text(this: Resource<ReasoningResponse>) -> String;
        fn tool_calls(this: Resource<ReasoningResponse>) -> Vec<types::ToolCall>;
        fn set_content(this: Resource<ReasoningResponse>, content: Vec<types::ContentBlock>) -> Answer<()>;
        fn usage(this: Resource<ReasoningResponse>) -> Option<types::Usage>;
        fn finish_reason(this: Resource<ReasoningResponse>) -> types::FinishReason;
        fn drop(this: Resource<ReasoningResponse>) -> ();
    }

    requests::HostModelRequest {
        fn new(model: String) -> Resource<ModelRequest>;
        fn clone(this: Resource<ModelRequest>) -> Resource<ModelRequest>;
        fn model(this: Resource<ModelRequest>) -> String;
        fn set_model(this: Resource<ModelRequest>, alias: String) -> ();
        fn system_prompt(this: Resource<ModelRequest>) -> Option<String>;
        fn set_system_prompt(this: Resource<ModelRequest>, prompt: Option<String>) -> ();
        fn message_count(this: Resource<ModelRequest>) -> u32;
        fn message(this: Resource<ModelRequest>, index: u32) -> Answer<types::Message>;
        fn messages(this: Resource<ModelRequest>) -> Vec<types::Message>;
        fn set_messages(this: Resource<ModelRequest>, messages: Vec<types::Message>) -> Answer<()>;
        fn push_message(this: Resource<ModelRequest>, message: types::Message) -> Answer<()>;
        fn insert_message(this: Resource<ModelRequest>, index: u32, message: types::Message) -> Answer<()>;
        fn replace_message(this: Resource<ModelRequest>, index: u32, message: types::Message) -> Answer<()>;
        fn remove_message(this: Resource<ModelRequest>, index: u32) -> Answer<()>;
        fn tools(this: Resource<ModelRequest>) -> Vec<types::ToolDefinition>;
        async fn set_tools(this: Resource<ModelRequest>, tools: Vec<types::ToolDefinition>) -> Answer<()>;
        fn tool_choice(this: Resource<ModelRequest>) -> types::ToolChoice;
        fn set_tool_choice(this: Resource<ModelRequest>, choice: types::ToolChoice) -> ();
        fn output_schema(this: Resource<ModelRequest>) -> Option<String>;
        async fn set_output_schema(this: Resource<ModelRequest>, schema: Option<String>) -> Answer<()>;
        fn parameter(this: Resource<ModelRequest>, name: String) -> Option<String>;
        fn parameters(this: Resource<ModelRequest>) -> Vec<(String, String)>;
        fn set_parameter(this: Resource<ModelRequest>, name: String, value: Option<String>) -> Answer<()>;
        fn internal(this: Resource<ModelRequest>) -> bool;
        fn metadata(this: Resource<ModelRequest>, key: String) -> Option<String>;
        fn set_metadata(this: Resource<ModelRequest>, key: String, value: Option<String>) -> Answer<()>;
        fn drop(this: Resource<ModelRequest>) -> ();
    }

    requests::HostModelResponse {
        fn new(content: Vec<types::ContentBlock>) -> Resource<ModelResponse>;
        fn clone(this: Resource<ModelResponse>) -> Resource<ModelResponse>;
        fn id(this: Resource<ModelResponse>) -> String;
        fn model(this: Resource<ModelResponse>) -> String;
        fn reported_model(this: Resource<ModelResponse>) -> Option<String>;
        fn provider(this: Resource<ModelResponse>) -> String;
        fn message(this: Resource<ModelResponse>) -> types::Message;
        fn text(this: Resource<ModelResponse>) -> String;
        fn tool_calls(this: Resource<ModelResponse>) -> Vec<types::ToolCall>;
        fn set_content(this: Resource<ModelResponse>, content: Vec<types::ContentBlock>) -> Answer<()>;
        fn usage(this: Resource<ModelResponse>) -> Option<types::Usage>;
        fn finish_reason(this: Resource<ModelResponse>) -> types::FinishReason;
        fn metadata(this: Resource<ModelResponse>, key: String) -> Option<String>;
        fn set_metadata(this: Resource<ModelResponse>, key: String, value: Option<String>) -> Answer<()>;
        fn drop(this: Resource<ModelResponse>) -> ();
    }

    requests::HostToolRequest {
        fn clone(this: Resource<ToolRequest>) -> Resource<ToolRequest>;
        fn call_id(this: Resource<ToolRequest>) -> String;
        fn name(this: Resource<ToolRequest>) -> String;
        fn set_name(this: Resource<ToolRequest>, name: String) -> ();
        fn arguments(this: Resource<ToolRequest>) -> String;
        fn set_arguments(this: Resource<ToolRequest>, arguments: String) -> Answer<()>;
        fn definition(this: Resource<ToolRequest>) -> Option<types::ToolDefinition>;
        fn metadata(this: Resource<ToolRequest>, key: String) -> Option<String>;
        fn set_metadata(this: Resource<ToolRequest>, key: String, value: Option<String>) -> Answer<()>;
        fn drop(this: Resource<ToolRequest>) -> ();
    }

    requests::HostToolResponse {
        fn new(state: types::ToolState, content: Vec<types::ResultPart>) -> Resource<ToolResponse>;
        fn clone(this: Resource<ToolResponse>) -> Resource<ToolResponse>;
        fn state(this: Resource<ToolResponse>) -> types::ToolState;
        fn content(this: Resource<ToolResponse>) -> Vec<types::ResultPart>;
        fn text(this: Resource<ToolResponse>) -> String;
        fn set_content(this: Resource<ToolResponse>, content: Vec<types::ResultPart>) -> Answer<()>;
        fn metadata(this: Resource<ToolResponse>, key: String) -> Option<String>;
        fn set_metadata(this: Resource<ToolResponse>, key: String, value: Option<String>) -> Answer<()>;
        fn drop(this: Resource<ToolResponse>) -> ();
    }

    requests::HostCompressRequest {
        fn clone(this: Resource<CompressRequest>) -> Resource<CompressRequest>;
        fn step(this: Resource<CompressRequest>) -> u32;
        fn message_count(this: Resource<CompressRequest>) -> u32;
        fn estimated_tokens(this: Resource<CompressRequest>) -> u32;
        fn context_tokens(this: Resource<CompressRequest>) -> Option<u32>;
        fn instructions(this: Resource<CompressRequest>) -> Option<String>;
        fn set_instructions(this: Resource<CompressRequest>, text: Option<String>) -> ();
        fn drop(this: Resource<CompressRequest>) -> ();
    }

    requests::HostCompressResponse {
        fn new(compressed: bool, summary: Option<String>) -> Resource<CompressResponse>;
        fn clone(this: Resource<CompressResponse>) -> Resource<CompressResponse>;
        fn compressed(this: Resource<CompressResponse>) -> bool;
        fn summary(this: Resource<CompressResponse>) -> Option<String>;
        fn drop(this: Resource<CompressResponse>) -> ();
    }

    requests::HostPermissionRequest {
        fn clone(this: Resource<PermissionRequest>) -> Resource<PermissionRequest>;
        fn call(this: Resource<PermissionRequest>) -> types::ToolCall;
        fn definition(this: Resource<PermissionRequest>) -> Option<types::ToolDefinition>;
        fn confirmed(this: Resource<PermissionRequest>) -> bool;
        fn drop(this: Resource<PermissionRequest>) -> ();
    }

    requests::HostDraft {
        fn message(this: Resource<Draft>) -> types::Message;
        fn text(this: Resource<Draft>) -> String;
        fn structured_output(this: Resource<Draft>) -> Option<String>;
        fn attempt(this: Resource<Draft>) -> u32;
        fn max_attempts(this: Resource<Draft>) -> u32;
        fn drop(this: Resource<Draft>) -> ();
    }

    requests::HostTurnSummary {
        fn outcome(this: Resource<TurnSummary>) -> types::Outcome;
        fn message(this: Resource<TurnSummary>) -> Option<types::Message>;
        fn error(this: Resource<TurnSummary>) -> Option<types::Error>;
        fn usage(this: Resource<TurnSummary>) -> types::Usage;
        fn steps(this: Resource<TurnSummary>) -> u32;
        fn tool_calls(this: Resource<TurnSummary>) -> u32;
        fn duration_ms(this: Resource<TurnSummary>) -> u32;
        fn drop(this: Resource<TurnSummary>) -> ();
    }
}
