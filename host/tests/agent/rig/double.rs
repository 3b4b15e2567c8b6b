//! A tool of a function.

use std::future::Future;

use cepa::chain::Sink;
use cepa::error::Error;
use cepa::message::{ToolDefinition, ToolState};
use cepa::request::ToolResponse;
use cepa::tool::{Tool, ToolInvocation};
use futures::future::BoxFuture;
use serde_json::json;

type Run = dyn Fn(ToolInvocation, Sink) -> BoxFuture<'static, Result<ToolResponse, Error>> + Send + Sync;

/// A tool of a function.
pub(crate) struct Double {
    definition: ToolDefinition,
    external: bool,
    run: Box<Run>,
}

impl Double {
    pub(crate) fn new<F, R>(name: &str, run: F) -> Self
    where
        F: Fn(ToolInvocation, Sink) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolResponse, Error>> + Send + 'static,
    {
        let definition = ToolDefinition {
            name: name.to_owned(),
            description: format!("{name}s something"),
            parameters: json!({
                "type": "object",
                "properties": { "x": { "type": "integer" } },
                "required": ["x"],
                "additionalProperties": false,
            }),
            parallel: true,
            metadata: serde_json::Map::new(),
        };
        Self {
            definition,
            external: false,
            run: Box::new(move |invocation, out| Box::pin(run(invocation, out))),
        }
    }

    /// A tool that answers its argument.
    pub(crate) fn echo(name: &str) -> Self {
        let own = name.to_owned();
        Self::new(name, move |invocation, _| {
            let x = invocation.arguments.get("x").cloned().unwrap_or_default();
            let own = own.clone();
            async move { Ok(ToolResponse::text_answer(ToolState::Success, format!("{own} {x}"))) }
        })
    }

    pub(crate) fn alone(mut self) -> Self {
        self.definition.parallel = false;
        self
    }

    pub(crate) fn external(mut self) -> Self {
        self.external = true;
        self
    }
}

impl Tool for Double {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn external(&self) -> bool {
        self.external
    }

    fn call(&self, invocation: ToolInvocation, out: Sink) -> BoxFuture<'static, Result<ToolResponse, Error>> {
        (self.run)(invocation, out)
    }
}
