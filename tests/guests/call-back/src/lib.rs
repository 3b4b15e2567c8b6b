//! Brings a tool that calls itself through the host, while it is being called.

use cepa_sdk::{
    Error, Middleware, NoConfig, Sink, ToolDefinition, ToolRequest, ToolResponse, ToolSource, tools,
};

struct CallBack;

impl Middleware for CallBack {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

impl ToolSource for CallBack {
    fn list_tools(&self) -> Result<Vec<ToolDefinition>, Error> {
        Ok(vec![ToolDefinition {
            name: "again".to_owned(),
            description: "calls itself".to_owned(),
            parameters: r#"{"type":"object"}"#.to_owned(),
            parallel: true,
            metadata: String::new(),
        }])
    }

    fn call_tool(&self, request: ToolRequest, _: Sink) -> Result<ToolResponse, Error> {
        tools::call(&request.name(), &request.arguments())
    }
}

cepa_sdk::export!(CallBack: ToolSource);
