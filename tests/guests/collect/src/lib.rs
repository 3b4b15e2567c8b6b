//! Collects the answers of a tool of its own, and lets go of none.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, ResultPart, Sink,
    ToolDefinition, ToolRequest, ToolResponse, ToolSource, ToolState, tools,
};

struct Collect;

impl Middleware for Collect {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl ToolSource for Collect {
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        Ok(vec![ToolDefinition {
            name: "much".to_owned(),
            description: "answers much".to_owned(),
            parameters: r#"{"type":"object"}"#.to_owned(),
            parallel: true,
            metadata: String::new(),
        }])
    }

    fn call_tool(&self, _: ToolRequest, _: Sink) -> Result<ToolResponse, Error> {
        Ok(ToolResponse::new(ToolState::Success, &[ResultPart::Text("much".repeat(64 << 10))]))
    }
}

impl OnModelCall for Collect {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let mut answers = Vec::new();
        for _ in 0..1_000 {
            answers.push(tools::call("much", "{}")?);
        }
        next.run(request)
    }
}

cepa_sdk::export!(Collect: ToolSource, OnModelCall);
