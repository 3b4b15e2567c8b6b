//! Brings tools: one that remembers in the session's state, one that fails, one that breaks and one that answers a link.

use cepa_sdk::{
    Error, Event, Middleware, NoConfig, ResultPart, Sink, ToolDefinition, ToolRequest, ToolResponse,
    ToolSource, ToolState, ToolText,
    serde_json::{self, Value},
    state::{self, Scope},
};

struct Remember;

impl Middleware for Remember {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

fn tool(name: &str, parameters: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: format!("{name}s"),
        parameters: parameters.to_owned(),
        parallel: true,
        metadata: String::new(),
    }
}

fn remember(request: &ToolRequest, out: &Sink) -> Result<ToolResponse, Error> {
    let arguments: Value = serde_json::from_str(&request.arguments())?;
    let count = arguments.get("count").and_then(Value::as_f64).unwrap_or_default();
    let sum = state::increment(Scope::Session, "sum", count)?;
    let said = ToolText { call_id: request.call_id(), text: "so far ".to_owned() };
    out.emit(&[Event::ToolResultText(said)])?;
    Ok(ToolResponse::new(ToolState::Success, &[ResultPart::Text(format!("so far {sum}"))]))
}

impl ToolSource for Remember {
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        let schema = r#"{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}"#;
        let none = r#"{"type":"object","additionalProperties":false}"#;
        Ok(vec![tool("remember", schema), tool("fail", none), tool("break", none), tool("link", none)])
    }

    fn call_tool(&self, request: ToolRequest, out: Sink) -> Result<ToolResponse, Error> {
        match request.name().as_str() {
            "remember" => remember(&request, &out),
            "fail" => Err(Error::rejected("full", "there is no more room")),
            "link" => {
                let link = ResultPart::other("resource-link", &serde_json::json!({ "uri": "demo://far" }));
                Ok(ToolResponse::new(ToolState::Success, &[ResultPart::text("see"), link]))
            }
            _ => panic!("broken on purpose"),
        }
    }
}

cepa_sdk::export!(Remember: ToolSource);
