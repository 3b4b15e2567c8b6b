//! Sends what can't be used in every place that takes a text with a form, an index or an id, and logs each answer.

use cepa_sdk::{
    Error, Event, Message, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall,
    OtherPart, ResultPart, Sink, ToolDefinition, ToolEnd, ToolResponse, ToolState, conversation, info,
    models, tools,
};

struct Malform;

impl Middleware for Malform {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

fn tool(parameters: &str) -> ToolDefinition {
    ToolDefinition {
        name: "twin".to_owned(),
        description: String::new(),
        parameters: parameters.to_owned(),
        parallel: true,
        metadata: String::new(),
    }
}

fn odd(text: &str, metadata: &str) -> Message {
    Message { metadata: metadata.to_owned(), ..Message::user(text) }
}

fn say<T>(what: &str, answer: Result<T, Error>) {
    match answer {
        Ok(_) => info!("{what}: taken"),
        Err(error) => info!("{what}: {:?}: {}", error.kind, error.message),
    }
}

impl OnModelCall for Malform {
    fn on_model_call(
        &self,
        request: ModelRequest,
        next: ModelNext,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        say("a value", request.set_metadata("k", Some("{")));
        say("a schema", request.set_output_schema(Some("3")));
        say("a message", request.push_message(&odd("x", "[1]")));
        say("an index", request.message(u32::MAX));
        say("a place", request.insert_message(u32::MAX, &Message::user("x")));
        say("a lack", request.remove_message(u32::MAX));
        say("a schema of nothing", request.set_output_schema(Some(r#"{"type":"objekt"}"#)));
        say("a tool", request.set_tools(&[tool("{")]));
        say("no name", request.set_tools(&[ToolDefinition { name: String::new(), ..tool("{}") }]));
        say("a crowd", request.set_tools(&vec![tool("{}"); 1_025]));
        say("twins", request.set_tools(&[tool("{}"), tool("{}")]));
        say("a range", conversation::read(3, 1));
        say("a far range", conversation::replace(u32::MAX, u32::MAX, &[]));
        say("a role", conversation::replace(0, 0, &[Message::new(cepa_sdk::Role::System, Vec::new())]));
        say("an alias", models::complete(ModelRequest::new("no such")));
        say("a name", tools::call("no-such", "{}").map(drop));
        say("arguments", tools::call("look", "{").map(drop));
        let part = OtherPart { name: "odd".to_owned(), json: "{".to_owned() };
        let response = ToolResponse::new(ToolState::Success, &[]);
        say("a part", response.set_content(&[ResultPart::Other(part)]));
        let end = ToolEnd { call_id: "no-such".to_owned(), state: ToolState::Success };
        say("ids", out.emit(&[Event::Withdrawn("no-such".to_owned()), Event::ToolResultEnd(end)]));
        next.run(request)
    }
}

cepa_sdk::export!(Malform: OnModelCall);
