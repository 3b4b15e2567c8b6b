//! A tool that a middleware contributes, as it stands among the others.

use futures::future::BoxFuture;

use crate::chain::Sink;
use crate::error::{Error, ErrorKind};
use crate::message::ToolDefinition;
use crate::request::ToolResponse;
use crate::tool::{Tool, ToolInvocation};

/// Names a layer's tool. The layer that runs it is another in each reply, so the loop calls it through the chain.
pub(super) struct LayerTool(pub(super) ToolDefinition);

impl Tool for LayerTool {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn call(
        &self,
        _invocation: ToolInvocation,
        _out: Sink,
    ) -> BoxFuture<'static, Result<ToolResponse, Error>> {
        let text = format!("tool `{}` belongs to a layer and runs only inside its chain", self.0.name);
        Box::pin(async move { Err(Error::new(ErrorKind::Unsupported, text)) })
    }
}
