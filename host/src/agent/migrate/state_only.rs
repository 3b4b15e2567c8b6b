//! What a layer may ask of the agent while it takes over its state: the state, and nothing else.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::error::Error;
use crate::index::Index;
use crate::message::{Message, ToolDefinition};
use crate::request::{Messages, ModelRequest, ModelResponse, ToolResponse};
use crate::services::{AgentCall, AgentRun, NoServices, Services, StateStore};

/// Services of state alone.
pub(super) struct StateOnly(pub(super) Arc<dyn StateStore>);

impl Services for StateOnly {
    fn aliases(&self) -> Vec<String> {
        NoServices.aliases()
    }

    fn complete(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelResponse, Error>> {
        NoServices.complete(request)
    }

    fn catalogue(&self) -> Arc<Vec<ToolDefinition>> {
        NoServices.catalogue()
    }

    fn offer(&self, name: &str) -> Result<(), Error> {
        NoServices.offer(name)
    }

    fn withhold(&self, name: &str) -> Result<(), Error> {
        NoServices.withhold(name)
    }

    fn call_tool(
        &self,
        layer: String,
        name: String,
        arguments: String,
    ) -> BoxFuture<'_, Result<ToolResponse, Error>> {
        NoServices.call_tool(layer, name, arguments)
    }

    fn conversation(&self) -> Messages {
        NoServices.conversation()
    }

    fn replace(&self, start: u32, end: u32, messages: Vec<Message>) -> BoxFuture<'_, Result<(), Error>> {
        NoServices.replace(start, end, messages)
    }

    fn state(&self) -> Arc<dyn StateStore> {
        Arc::clone(&self.0)
    }

    fn index(&self) -> Arc<Index> {
        NoServices.index()
    }

    fn agents(&self) -> Vec<String> {
        NoServices.agents()
    }

    fn run_agent(&self, layer: String, call: AgentCall) -> BoxFuture<'_, Result<AgentRun, Error>> {
        NoServices.run_agent(layer, call)
    }
}
