//! Sets JSON Schemas that take long to compile, in each way that there is, and logs what the host answers.

use cepa_sdk::{
    Error, Middleware, ModelNext, ModelRequest, ModelResponse, NoConfig, OnModelCall, Sink, ToolDefinition,
    info,
};

struct Schemes;

impl Middleware for Schemes {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

fn told(what: &str, answer: Result<(), Error>) {
    info!("{what}: {}", answer.map_or_else(|error| error.message, |()| "taken".to_owned()));
}

/// A schema of so many bytes.
fn long(bytes: usize) -> String {
    format!(r#"{{"title":"{}"}}"#, "x".repeat(bytes - r#"{"title":""}"#.len()))
}

/// A schema of so many regular expressions.
fn patterns(count: u32) -> String {
    let each: Vec<String> = (0..count).map(|n| format!(r#"{{"pattern":"^{n}$"}}"#)).collect();
    format!(r#"{{"anyOf":[{}]}}"#, each.join(","))
}

fn tool(n: u32, parameters: &str) -> ToolDefinition {
    ToolDefinition {
        name: format!("t{n}"),
        description: String::new(),
        parameters: parameters.to_owned(),
        parallel: false,
        metadata: String::new(),
    }
}

impl OnModelCall for Schemes {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let (schema, tools) = (request.output_schema(), request.tools());
        told("long", request.set_output_schema(Some(&long(65_537))));
        told("many", request.set_output_schema(Some(&patterns(257))));
        told("deep", request.set_output_schema(Some(r#"{"pattern":"b(a{200}){200}b"}"#)));
        let each =
            |count: u32, parameters: String| (0..count).map(|n| tool(n, &parameters)).collect::<Vec<_>>();
        told("tools", request.set_tools(&each(17, long(65_536))));
        told("fewer tools", request.set_tools(&each(2, long(65_536))));
        told("the tools that there were", request.set_tools(&tools));
        told("no schema", request.set_output_schema(schema.as_deref()));
        next.run(request)
    }
}

cepa_sdk::export!(Schemes: OnModelCall);
