//! `tools`: the agent's tools, offered or called by a layer.

use wasmtime::component::Resource;

use crate::error::Error;
use crate::request::ToolResponse;
use crate::sandbox::bindings::cepa::middleware::{tools, types};
use crate::sandbox::convert::{error_to_guest, tool_to_guest};
use crate::sandbox::copied::Shared as _;
use crate::sandbox::store::GuestState;

use super::covers;

impl GuestState {
    fn granted_tool(&self, name: &str) -> Result<(), Error> {
        if covers(&self.layer.spec.grants.tools, name) { Ok(()) } else { Err(self.denied("tools", name)) }
    }
}

impl tools::Host for GuestState {
    fn catalogue(&mut self) -> wasmtime::Result<Result<Vec<types::ToolDefinition>, types::Error>> {
        let granted = &self.layer.spec.grants.tools;
        if granted.is_empty() {
            return Ok(Err(error_to_guest(self.denied("tools", ""))));
        }
        let catalogue = self.context.services.catalogue();
        let tools = catalogue.iter().filter(|tool| covers(granted, &tool.name)).map(tool_to_guest);
        Ok(Ok(self.budget.ready(tools)?))
    }

    fn offer(&mut self, name: String) -> wasmtime::Result<Result<(), types::Error>> {
        let result = self.granted_tool(&name).and_then(|()| self.context.services.offer(&name));
        Ok(result.map_err(error_to_guest))
    }

    fn withhold(&mut self, name: String) -> wasmtime::Result<Result<(), types::Error>> {
        let result = self.granted_tool(&name).and_then(|()| self.context.services.withhold(&name));
        Ok(result.map_err(error_to_guest))
    }

    async fn call(
        &mut self,
        name: String,
        arguments: String,
    ) -> wasmtime::Result<Result<Resource<ToolResponse>, types::Error>> {
        if let Err(error) = self.granted_tool(&name) {
            return Ok(Err(error_to_guest(error)));
        }
        self.budget.parse(Some(&arguments))?;
        let call = self.context.services.call_tool(self.layer.spec.name.clone(), name, arguments);
        let result = self.budget.waiting(call).await;
        match result {
            Ok(response) => {
                self.budget.copy(response.held())?;
                Ok(Ok(self.give(response)?))
            }
            Err(error) => Ok(Err(error_to_guest(error))),
        }
    }
}
