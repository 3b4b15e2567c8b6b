//! The contract's `tool-request` and `tool-response`: one run of a tool.

use serde_json::{Map, Value};
use wasmtime::component::Resource;

use crate::error::Error;
use crate::request::{ToolRequest, ToolResponse, ToolResponseData};
use crate::sandbox::bindings::cepa::middleware::{requests as wit, types};
use crate::sandbox::convert::{
    json_from_guest, parts_from_guest, parts_to_guest, state_from_guest, state_to_guest, tool_to_guest,
};
use crate::sandbox::store::GuestState;

use super::{answer, shared_resource, values};

fn check_arguments(text: &str) -> Result<(), Error> {
    match json_from_guest("the arguments", text)? {
        Value::Object(_) => Ok(()),
        _ => Err(Error::invalid("the arguments are no JSON object")),
    }
}

impl wit::HostToolRequest for GuestState {
    shared_resource!(ToolRequest);
    values!(ToolRequest, metadata: metadata, set_metadata);

    fn call_id(&mut self, this: Resource<ToolRequest>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.call.id.clone())
    }

    fn name(&mut self, this: Resource<ToolRequest>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.call.name.clone())
    }

    fn set_name(&mut self, this: Resource<ToolRequest>, name: String) -> wasmtime::Result<()> {
        self.edit(&this)?.edit().call.name = name;
        Ok(())
    }

    fn arguments(&mut self, this: Resource<ToolRequest>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.call.arguments.clone())
    }

    fn set_arguments(
        &mut self,
        this: Resource<ToolRequest>,
        arguments: String,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        self.budget.parse(Some(&arguments))?;
        let this = self.edit(&this)?;
        answer(check_arguments(&arguments).map(|()| this.edit().call.arguments = arguments))
    }

    fn definition(&mut self, this: Resource<ToolRequest>) -> wasmtime::Result<Option<types::ToolDefinition>> {
        Ok(self.table.get(&this)?.definition().map(tool_to_guest))
    }
}

impl wit::HostToolResponse for GuestState {
    shared_resource!(ToolResponse);
    values!(ToolResponse, metadata: metadata, set_metadata);

    fn new(
        &mut self,
        state: types::ToolState,
        content: Vec<types::ResultPart>,
    ) -> wasmtime::Result<Resource<ToolResponse>> {
        let state = state_from_guest(state);
        self.give_answer(parts_from_guest(content), |content| {
            ToolResponse::new(ToolResponseData { state, content, metadata: Map::new() })
        })
    }

    fn state(&mut self, this: Resource<ToolResponse>) -> wasmtime::Result<types::ToolState> {
        Ok(state_to_guest(self.table.get(&this)?.state))
    }

    fn content(&mut self, this: Resource<ToolResponse>) -> wasmtime::Result<Vec<types::ResultPart>> {
        Ok(parts_to_guest(self.table.get(&this)?.content.clone()))
    }

    fn text(&mut self, this: Resource<ToolResponse>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.text())
    }

    fn set_content(
        &mut self,
        this: Resource<ToolResponse>,
        content: Vec<types::ResultPart>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let content = parts_from_guest(content);
        if content.is_ok() {
            self.unreadable.take(this.rep());
        }
        let data = self.edit(&this)?;
        answer(content.map(|content| data.edit().content = content))
    }
}
