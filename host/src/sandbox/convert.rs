//! Between the contract's values and the host's. What a guest sends is checked here and nowhere else.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind};
use crate::event::{Event, Outcome};
use crate::message::{
    Block, Data, DataSource, FinishReason, Message, ResultPart, Role, ToolCall, ToolChoice, ToolDefinition,
    ToolResult, ToolState, Usage,
};
use crate::request::{Permission, PermissionDecision, Verdict};

use super::bindings::cepa::middleware::{events as we, requests as wr, types as wt};

/// Makes both directions between two enums of the same cases.
macro_rules! same_cases {
    ($to:ident, $from:ident, $ours:ident, $theirs:path { $($case:ident),+ $(,)? }) => {
        pub(super) fn $to(value: $ours) -> $theirs {
            use $theirs as Wit;
            match value { $($ours::$case => Wit::$case),+ }
        }

        pub(super) fn $from(value: $theirs) -> $ours {
            use $theirs as Wit;
            match value { $(Wit::$case => $ours::$case),+ }
        }
    };
}

same_cases!(
    kind_to_guest,
    kind_from_guest,
    ErrorKind,
    wt::ErrorKind {
        InvalidInput,
        NotFound,
        Denied,
        Limit,
        Timeout,
        RateLimited,
        Overloaded,
        Authentication,
        ContextOverflow,
        ContentFilter,
        Connection,
        Upstream,
        Aborted,
        Fault,
        Unsupported,
        Rejected,
        Internal,
        Other,
    }
);
same_cases!(role_to_guest, role_from_guest, Role, wt::Role { System, User, Assistant, Tool });
same_cases!(
    state_to_guest,
    state_from_guest,
    ToolState,
    wt::ToolState { Success, Error, Denied, Interrupted, Parked }
);
same_cases!(
    reason_to_guest,
    reason_from_guest,
    FinishReason,
    wt::FinishReason { Stop, Length, ToolCalls, ContentFilter, Other }
);
same_cases!(
    outcome_to_guest,
    outcome_from_guest,
    Outcome,
    wt::Outcome { Replied, Silent, Aborted, Failed, Parked }
);
same_cases!(permit_to_guest, permit_from_guest, Permission, wr::Permission { Allow, Ask, Deny });

pub(super) fn error_to_guest(error: Error) -> wt::Error {
    wt::Error {
        kind: kind_to_guest(error.kind),
        code: error.code,
        message: error.message,
        retryable: error.retryable,
        retry_after_ms: error.retry_after_ms,
        status: error.status,
    }
}

pub(super) fn error_from_guest(error: wt::Error) -> Error {
    Error {
        kind: kind_from_guest(error.kind),
        code: error.code,
        message: error.message,
        retryable: error.retryable,
        retry_after_ms: error.retry_after_ms,
        status: error.status,
    }
}

/// A JSON value of a guest; `what` names it in the error.
pub(super) fn json_from_guest(what: &str, text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|error| Error::invalid(format!("{what} is no JSON: {error}")))
}

/// A JSON object of a guest; an empty text counts as `{}`.
fn object_from_guest(what: &str, text: &str) -> Result<Map<String, Value>, Error> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match json_from_guest(what, text)? {
        Value::Object(object) => Ok(object),
        _ => Err(Error::invalid(format!("{what} is no JSON object"))),
    }
}

fn object_to_guest(object: Map<String, Value>) -> String {
    if object.is_empty() { String::new() } else { Value::Object(object).to_string() }
}

/// A JSON Schema of a guest; only that it is one is checked here, not what it says.
pub(super) fn schema_from_guest(what: &str, text: &str) -> Result<Value, Error> {
    let schema = json_from_guest(what, text)?;
    if !schema.is_object() && !schema.is_boolean() {
        return Err(Error::invalid(format!("{what} is no JSON Schema: an object is wanted")));
    }
    Ok(schema)
}

fn data_to_guest(data: Data) -> wt::DataBlock {
    wt::DataBlock {
        media_type: data.media_type,
        source: match data.source {
            DataSource::Bytes(bytes) => wt::DataSource::Bytes(bytes),
            DataSource::Url(url) => wt::DataSource::Url(url),
        },
        name: data.name,
    }
}

fn data_from_guest(data: wt::DataBlock) -> Data {
    Data {
        media_type: data.media_type,
        source: match data.source {
            wt::DataSource::Bytes(bytes) => DataSource::Bytes(bytes),
            wt::DataSource::Url(url) => DataSource::Url(url),
        },
        name: data.name,
    }
}

pub(super) fn call_to_guest(call: ToolCall) -> wt::ToolCall {
    wt::ToolCall { id: call.id, name: call.name, arguments: call.arguments }
}

fn call_from_guest(call: wt::ToolCall) -> ToolCall {
    ToolCall { id: call.id, name: call.name, arguments: call.arguments }
}

pub(super) fn parts_to_guest(parts: Vec<ResultPart>) -> Vec<wt::ResultPart> {
    parts
        .into_iter()
        .map(|part| match part {
            ResultPart::Text { text } => wt::ResultPart::Text(text),
            ResultPart::Data(data) => wt::ResultPart::Data(data_to_guest(data)),
        })
        .collect()
}

pub(super) fn parts_from_guest(parts: Vec<wt::ResultPart>) -> Vec<ResultPart> {
    parts
        .into_iter()
        .map(|part| match part {
            wt::ResultPart::Text(text) => ResultPart::Text { text },
            wt::ResultPart::Data(data) => ResultPart::Data(data_from_guest(data)),
        })
        .collect()
}

fn block_to_guest(block: Block) -> wt::ContentBlock {
    match block {
        Block::Text { text } => wt::ContentBlock::Text(text),
        Block::Thinking { text, signature } => {
            wt::ContentBlock::Thinking(wt::ThinkingBlock { text, signature })
        }
        Block::Data(data) => wt::ContentBlock::Data(data_to_guest(data)),
        Block::Hint { source, text } => wt::ContentBlock::Hint(wt::HintBlock { source, text }),
        Block::ToolCall(call) => wt::ContentBlock::ToolCall(call_to_guest(call)),
        Block::ToolResult(result) => wt::ContentBlock::ToolResult(wt::ToolResult {
            call_id: result.call_id,
            name: result.name,
            state: state_to_guest(result.state),
            content: parts_to_guest(result.content),
        }),
        Block::Other { name, json } => {
            wt::ContentBlock::Other(wt::OtherBlock { name, json: json.to_string() })
        }
    }
}

fn block_from_guest(block: wt::ContentBlock) -> Result<Block, Error> {
    Ok(match block {
        wt::ContentBlock::Text(text) => Block::Text { text },
        wt::ContentBlock::Thinking(thinking) => {
            Block::Thinking { text: thinking.text, signature: thinking.signature }
        }
        wt::ContentBlock::Data(data) => Block::Data(data_from_guest(data)),
        wt::ContentBlock::Hint(hint) => Block::Hint { source: hint.source, text: hint.text },
        wt::ContentBlock::ToolCall(call) => Block::ToolCall(call_from_guest(call)),
        wt::ContentBlock::ToolResult(result) => Block::ToolResult(ToolResult {
            call_id: result.call_id,
            name: result.name,
            state: state_from_guest(result.state),
            content: parts_from_guest(result.content),
        }),
        wt::ContentBlock::Other(other) => {
            let json = json_from_guest("the block's `json`", &other.json)?;
            Block::Other { name: other.name, json }
        }
    })
}

pub(super) fn content_from_guest(content: Vec<wt::ContentBlock>) -> Result<Vec<Block>, Error> {
    content.into_iter().map(block_from_guest).collect()
}

pub(super) fn message_to_guest(message: Message) -> wt::Message {
    wt::Message {
        id: message.id,
        role: role_to_guest(message.role),
        name: message.name,
        content: message.content.into_iter().map(block_to_guest).collect(),
        metadata: object_to_guest(message.metadata),
    }
}

pub(super) fn message_from_guest(message: wt::Message) -> Result<Message, Error> {
    Ok(Message {
        id: message.id,
        role: role_from_guest(message.role),
        name: message.name,
        content: content_from_guest(message.content)?,
        metadata: object_from_guest("the message's `metadata`", &message.metadata)?,
    })
}

pub(super) fn messages_from_guest(messages: Vec<wt::Message>) -> Result<Vec<Message>, Error> {
    messages.into_iter().map(message_from_guest).collect()
}

pub(super) fn messages_to_guest(messages: &[Arc<Message>]) -> Vec<wt::Message> {
    messages.iter().map(|message| message_to_guest(Message::clone(message))).collect()
}

pub(super) fn tool_to_guest(tool: &ToolDefinition) -> wt::ToolDefinition {
    wt::ToolDefinition {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.to_string(),
        parallel: tool.parallel,
        metadata: object_to_guest(tool.metadata.clone()),
    }
}

pub(super) fn tool_from_guest(tool: wt::ToolDefinition) -> Result<ToolDefinition, Error> {
    let what = format!("`parameters` of tool `{}`", tool.name);
    let parameters = schema_from_guest(&what, &tool.parameters)?;
    let metadata = object_from_guest("the tool's `metadata`", &tool.metadata)?;
    Ok(ToolDefinition {
        name: tool.name,
        description: tool.description,
        parameters,
        parallel: tool.parallel,
        metadata,
    })
}

/// Tool definitions of a guest, no two of one name.
pub(super) fn tools_from_guest(tools: Vec<wt::ToolDefinition>) -> Result<Vec<ToolDefinition>, Error> {
    let mut checked: Vec<ToolDefinition> = Vec::with_capacity(tools.len());
    for tool in tools {
        if checked.iter().any(|known| known.name == tool.name) {
            return Err(Error::invalid(format!("two tools are named `{}`", tool.name)));
        }
        checked.push(tool_from_guest(tool)?);
    }
    Ok(checked)
}

pub(super) fn choice_to_guest(choice: ToolChoice) -> wt::ToolChoice {
    match choice {
        ToolChoice::Auto => wt::ToolChoice::Auto,
        ToolChoice::None => wt::ToolChoice::None,
        ToolChoice::Required => wt::ToolChoice::Required,
        ToolChoice::Named(name) => wt::ToolChoice::Named(name),
    }
}

pub(super) fn choice_from_guest(choice: wt::ToolChoice) -> ToolChoice {
    match choice {
        wt::ToolChoice::Auto => ToolChoice::Auto,
        wt::ToolChoice::None => ToolChoice::None,
        wt::ToolChoice::Required => ToolChoice::Required,
        wt::ToolChoice::Named(name) => ToolChoice::Named(name),
    }
}

pub(super) fn usage_to_guest(usage: Usage) -> wt::Usage {
    wt::Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        reasoning_tokens: usage.reasoning_tokens,
        details: usage.details,
    }
}

fn usage_from_guest(usage: wt::Usage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        reasoning_tokens: usage.reasoning_tokens,
        details: usage.details,
    }
}

pub(super) fn permission_to_guest(decision: PermissionDecision) -> wr::PermissionDecision {
    wr::PermissionDecision { permission: permit_to_guest(decision.permission), reason: decision.reason }
}

pub(super) fn permission_from_guest(decision: wr::PermissionDecision) -> PermissionDecision {
    PermissionDecision { permission: permit_from_guest(decision.permission), reason: decision.reason }
}

pub(super) fn verdict_from_guest(verdict: wr::Verdict) -> Result<Verdict, Error> {
    Ok(match verdict {
        wr::Verdict::Accept => Verdict::Accept,
        wr::Verdict::Replace(content) => Verdict::Replace(content_from_guest(content)?),
        wr::Verdict::Retry(feedback) => Verdict::Retry(feedback),
    })
}

pub(super) fn event_to_guest(event: Event) -> we::Event {
    match event {
        Event::ReplyStart { reply_id, session_id, agent_name } => {
            we::Event::ReplyStart(we::ReplyStart { reply_id, session_id, agent_name })
        }
        Event::ReplyEnd { reply_id, outcome, error } => we::Event::ReplyEnd(we::ReplyEnd {
            reply_id,
            outcome: outcome_to_guest(outcome),
            error: error.map(error_to_guest),
        }),
        Event::ModelCallStart { id, model } => we::Event::ModelCallStart(we::ModelCallStart { id, model }),
        Event::ModelCallEnd { id, finish_reason, usage, error } => {
            we::Event::ModelCallEnd(we::ModelCallEnd {
                id,
                finish_reason: reason_to_guest(finish_reason),
                usage: usage.map(usage_to_guest),
                error: error.map(error_to_guest),
            })
        }
        Event::TextStart { id } => we::Event::TextStart(id),
        Event::TextDelta { id, text } => we::Event::TextDelta(we::TextDelta { id, text }),
        Event::TextEnd { id } => we::Event::TextEnd(id),
        Event::ThinkingStart { id } => we::Event::ThinkingStart(id),
        Event::ThinkingDelta { id, text } => we::Event::ThinkingDelta(we::TextDelta { id, text }),
        Event::ThinkingEnd { id } => we::Event::ThinkingEnd(id),
        Event::DataStart { id, media_type } => we::Event::DataStart(we::DataStart { id, media_type }),
        Event::DataDelta { id, bytes } => we::Event::DataDelta(we::DataDelta { id, bytes }),
        Event::DataEnd { id } => we::Event::DataEnd(id),
        Event::Hint { id, source, text } => we::Event::Hint(we::Hint { id, source, text }),
        Event::ToolCallStart { call_id, name } => we::Event::ToolCallStart(we::ToolStart { call_id, name }),
        Event::ToolCallDelta { call_id, text } => {
            we::Event::ToolCallDelta(we::TextDelta { id: call_id, text })
        }
        Event::ToolCallEnd { call_id } => we::Event::ToolCallEnd(call_id),
        Event::ToolResultStart { call_id, name } => {
            we::Event::ToolResultStart(we::ToolStart { call_id, name })
        }
        Event::ToolResultText { call_id, text } => {
            we::Event::ToolResultText(we::TextDelta { id: call_id, text })
        }
        Event::ToolResultData { call_id, media_type, bytes } => {
            we::Event::ToolResultData(we::ToolData { call_id, media_type, bytes })
        }
        Event::ToolResultEnd { call_id, state } => {
            we::Event::ToolResultEnd(we::ToolEnd { call_id, state: state_to_guest(state) })
        }
        Event::Withdrawn { id } => we::Event::Withdrawn(id),
        Event::MessageReplaced { message } => we::Event::MessageReplaced(message_to_guest(message)),
        Event::ToolCallReplaced { call } => we::Event::ToolCallReplaced(call_to_guest(call)),
        Event::Other { name, json } => we::Event::Other(we::OtherEvent { name, json: json.to_string() }),
    }
}

pub(super) fn event_from_guest(event: we::Event) -> Result<Event, Error> {
    Ok(match event {
        we::Event::ReplyStart(e) => {
            Event::ReplyStart { reply_id: e.reply_id, session_id: e.session_id, agent_name: e.agent_name }
        }
        we::Event::ReplyEnd(e) => Event::ReplyEnd {
            reply_id: e.reply_id,
            outcome: outcome_from_guest(e.outcome),
            error: e.error.map(error_from_guest),
        },
        we::Event::ModelCallStart(e) => Event::ModelCallStart { id: e.id, model: e.model },
        we::Event::ModelCallEnd(e) => Event::ModelCallEnd {
            id: e.id,
            finish_reason: reason_from_guest(e.finish_reason),
            usage: e.usage.map(usage_from_guest),
            error: e.error.map(error_from_guest),
        },
        we::Event::TextStart(id) => Event::TextStart { id },
        we::Event::TextDelta(e) => Event::TextDelta { id: e.id, text: e.text },
        we::Event::TextEnd(id) => Event::TextEnd { id },
        we::Event::ThinkingStart(id) => Event::ThinkingStart { id },
        we::Event::ThinkingDelta(e) => Event::ThinkingDelta { id: e.id, text: e.text },
        we::Event::ThinkingEnd(id) => Event::ThinkingEnd { id },
        we::Event::DataStart(e) => Event::DataStart { id: e.id, media_type: e.media_type },
        we::Event::DataDelta(e) => Event::DataDelta { id: e.id, bytes: e.bytes },
        we::Event::DataEnd(id) => Event::DataEnd { id },
        we::Event::Hint(e) => Event::Hint { id: e.id, source: e.source, text: e.text },
        we::Event::ToolCallStart(e) => Event::ToolCallStart { call_id: e.call_id, name: e.name },
        we::Event::ToolCallDelta(e) => Event::ToolCallDelta { call_id: e.id, text: e.text },
        we::Event::ToolCallEnd(call_id) => Event::ToolCallEnd { call_id },
        we::Event::ToolResultStart(e) => Event::ToolResultStart { call_id: e.call_id, name: e.name },
        we::Event::ToolResultText(e) => Event::ToolResultText { call_id: e.id, text: e.text },
        we::Event::ToolResultData(e) => {
            Event::ToolResultData { call_id: e.call_id, media_type: e.media_type, bytes: e.bytes }
        }
        we::Event::ToolResultEnd(e) => {
            Event::ToolResultEnd { call_id: e.call_id, state: state_from_guest(e.state) }
        }
        we::Event::Withdrawn(id) => Event::Withdrawn { id },
        we::Event::MessageReplaced(message) => {
            Event::MessageReplaced { message: message_from_guest(message)? }
        }
        we::Event::ToolCallReplaced(call) => Event::ToolCallReplaced { call: call_from_guest(call) },
        we::Event::Other(e) => {
            Event::Other { json: json_from_guest("the event's `json`", &e.json)?, name: e.name }
        }
    })
}
