//! Tools that a program outside runs.

use futures::future::BoxFuture;

use crate::chain::Sink;
use crate::error::{Error, ErrorKind};
use crate::message::ToolDefinition;
use crate::request::ToolResponse;

use super::{Tool, ToolInvocation};

/// A tool that a program outside runs: each call parks the reply until its result is handed in.
#[derive(Clone, Debug)]
pub struct ExternalTool(ToolDefinition);

impl ExternalTool {
    /// A tool that the model sees like this.
    pub fn new(definition: ToolDefinition) -> Self {
        Self(definition)
    }
}

impl Tool for ExternalTool {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn external(&self) -> bool {
        true
    }

    fn call(
        &self,
        _invocation: ToolInvocation,
        _out: Sink,
    ) -> BoxFuture<'static, Result<ToolResponse, Error>> {
        let text = format!("tool `{}` is run by a program outside, so its result is handed in", self.0.name);
        Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text)) })
    }
}
