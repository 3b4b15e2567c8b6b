//! The contract's `reasoning-request` and `reasoning-response`: one step's thinking, around its model call.

use wasmtime::component::Resource;

use crate::request::{ReasoningRequest, ReasoningResponse};
use crate::sandbox::bindings::cepa::middleware::{requests as wit, types};
use crate::sandbox::convert::{choice_from_guest, choice_to_guest, content_from_guest};
use crate::sandbox::store::GuestState;

use super::{answer, said_by_model, shared_resource, values};

impl wit::HostReasoningRequest for GuestState {
    shared_resource!(ReasoningRequest);
    values!(ReasoningRequest, parameters: parameter, set_parameter);

    fn step(&mut self, this: Resource<ReasoningRequest>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.step)
    }

    fn tool_choice(&mut self, this: Resource<ReasoningRequest>) -> wasmtime::Result<types::ToolChoice> {
        Ok(choice_to_guest(self.table.get(&this)?.tool_choice.clone()))
    }

    fn set_tool_choice(
        &mut self,
        this: Resource<ReasoningRequest>,
        choice: types::ToolChoice,
    ) -> wasmtime::Result<()> {
        self.edit(&this)?.edit().tool_choice = choice_from_guest(choice);
        Ok(())
    }

    fn tools(&mut self, this: Resource<ReasoningRequest>) -> wasmtime::Result<Vec<String>> {
        Ok(self.table.get(&this)?.tools.clone())
    }

    fn set_tools(
        &mut self,
        this: Resource<ReasoningRequest>,
        names: Vec<String>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        answer(self.edit(&this)?.set_tools(names))
    }

    fn hints(&mut self, this: Resource<ReasoningRequest>) -> wasmtime::Result<Vec<(String, String)>> {
        Ok(self.table.get(&this)?.hints.clone())
    }

    fn add_hint(
        &mut self,
        this: Resource<ReasoningRequest>,
        source: String,
        text: String,
    ) -> wasmtime::Result<()> {
        self.edit(&this)?.edit().hints.push((source, text));
        Ok(())
    }
}

impl wit::HostReasoningResponse for GuestState {
    shared_resource!(ReasoningResponse);
    said_by_model!(ReasoningResponse);

    fn new(&mut self, content: Vec<types::ContentBlock>) -> wasmtime::Result<Resource<ReasoningResponse>> {
        self.give_answer(content_from_guest(content), ReasoningResponse::answer)
    }
}
