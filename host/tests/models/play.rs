//! Asks a model, and puts down what came of it as text.

use std::fmt::Write as _;

use cepa::chain::Sink;
use cepa::error::Error;
use cepa::event::Event;
use cepa::message::{Message, ToolDefinition};
use cepa::model::Model;
use cepa::models::{AnthropicModel, OpenAiModel, ServerConfig};
use cepa::request::{ModelRequest, ModelResponse};
use serde_json::{Map, json};

use super::server::{Reply, Server};

/// Which protocol a test speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
}

impl Wire {
    /// A model at this address.
    pub(crate) fn model(self, url: &str) -> Box<dyn Model> {
        match self {
            Self::OpenAi => {
                Box::new(OpenAiModel::new(ServerConfig::new("m", format!("{url}/v1"))).expect("a model"))
            }
            Self::Anthropic => Box::new(AnthropicModel::new(ServerConfig::new("m", url)).expect("a model")),
        }
    }
}

/// What a call came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) events: Vec<Event>,
    pub(crate) result: Result<ModelResponse, Error>,
}

/// Asks a model with this request.
pub(crate) async fn ask(model: &dyn Model, request: ModelRequest) -> Outcome {
    let (out, mut stream) = Sink::stream();
    let call = model.call(request, "call".to_owned(), out);
    let watch = async {
        let mut events = Vec::new();
        while let Some(event) = stream.next().await {
            events.push(event);
        }
        events
    };
    let (result, events) = tokio::join!(call, watch);
    Outcome { events, result }
}

/// Asks a model of this protocol whose server answers so.
pub(crate) async fn play(wire: Wire, reply: Reply) -> Outcome {
    let server = Server::start([reply]).await;
    ask(&*wire.model(&server.url), question()).await
}

/// A request with two tools.
pub(crate) fn question() -> ModelRequest {
    let mut request = ModelRequest::to("main");
    request.push_message(Message::user("hi"));
    request.edit().tools = vec![tool("get_weather"), tool("add")].into();
    request
}

/// A tool of this name.
pub(crate) fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: format!("Does {name}."),
        parameters: json!({ "type": "object", "properties": {} }),
        parallel: true,
        metadata: Map::new(),
    }
}

impl Outcome {
    /// One line for each event, then the response or the error.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for event in &self.events {
            let json = serde_json::to_string(event).expect("an event is JSON");
            writeln!(text, "  {}", json.trim_start_matches("{\"type\":").trim_end_matches('}'))
                .expect("a string takes all");
        }
        match &self.result {
            Ok(response) => text.push_str(&response_text(response)),
            Err(error) => writeln!(text, "  ! {}", serde_json::to_string(error).expect("an error is JSON"))
                .expect("a string takes all"),
        }
        text
    }
}

fn response_text(response: &ModelResponse) -> String {
    let mut text = String::new();
    for block in &response.message.content {
        let json = serde_json::to_string(block).expect("a block is JSON");
        writeln!(text, "  = {json}").expect("a string takes all");
    }
    let usage = response.usage.as_ref().map(|usage| {
        let counts = [
            ("in", usage.input_tokens),
            ("out", usage.output_tokens),
            ("read", usage.cache_read_tokens),
            ("written", usage.cache_write_tokens),
            ("thought", usage.reasoning_tokens),
        ];
        let known = counts.iter().filter_map(|(name, count)| count.map(|count| format!("{name} {count}")));
        let more = usage.details.iter().map(|(name, count)| format!("{name} {count}"));
        known.chain(more).collect::<Vec<_>>().join(", ")
    });
    writeln!(
        text,
        "  = {:?}, by {} {}, usage {}",
        response.finish_reason,
        response.provider,
        response.reported_model.as_deref().unwrap_or("-"),
        usage.as_deref().unwrap_or("unknown"),
    )
    .expect("a string takes all");
    text
}
