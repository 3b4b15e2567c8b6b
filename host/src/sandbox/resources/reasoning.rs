use wasmtime::component::Resource;

use crate::message::{FinishReason, Message, Role};
use crate::request::{ReasoningRequest, ReasoningResponse, ReasoningResponseData};
use crate::sandbox::bindings::cepa::middleware::{requests as wit, types};
use crate::sandbox::convert::{
    call_to_guest, choice_from_guest, choice_to_guest, content_from_guest, message_to_guest, reason_to_guest,
    usage_to_guest,
};
use crate::sandbox::store::GuestState;

use super::{answer, parse_value, put_value, read_value, shared_resource};

impl wit::HostReasoningRequest for GuestState {
    shared_resource!(ReasoningRequest);

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
        self.table.get_mut(&this)?.edit().tool_choice = choice_from_guest(choice);
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
        answer(self.table.get_mut(&this)?.set_tools(names))
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
        self.table.get_mut(&this)?.edit().hints.push((source, text));
        Ok(())
    }

    fn parameter(
        &mut self,
        this: Resource<ReasoningRequest>,
        name: String,
    ) -> wasmtime::Result<Option<String>> {
        Ok(read_value(&self.table.get(&this)?.parameters, &name))
    }

    fn set_parameter(
        &mut self,
        this: Resource<ReasoningRequest>,
        name: String,
        value: Option<String>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let this = self.table.get_mut(&this)?;
        Ok(parse_value(value).map(|value| put_value(&mut this.edit().parameters, name, value)))
    }
}

impl wit::HostReasoningResponse for GuestState {
    shared_resource!(ReasoningResponse);

    fn new(&mut self, content: Vec<types::ContentBlock>) -> wasmtime::Result<Resource<ReasoningResponse>> {
        // A constructor has no error value: content that can't be read is the guest's fault.
        let content = content_from_guest(content).map_err(wasmtime::Error::new)?;
        let message = Message::new(Role::Assistant, content);
        let finish_reason =
            if message.tool_calls().next().is_some() { FinishReason::ToolCalls } else { FinishReason::Stop };
        self.give(ReasoningResponse::new(ReasoningResponseData { message, usage: None, finish_reason }))
    }

    fn message(&mut self, this: Resource<ReasoningResponse>) -> wasmtime::Result<types::Message> {
        Ok(message_to_guest(self.table.get(&this)?.message.clone()))
    }

    fn text(&mut self, this: Resource<ReasoningResponse>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.message.text())
    }

    fn tool_calls(&mut self, this: Resource<ReasoningResponse>) -> wasmtime::Result<Vec<types::ToolCall>> {
        Ok(self.table.get(&this)?.message.tool_calls().cloned().map(call_to_guest).collect())
    }

    fn set_content(
        &mut self,
        this: Resource<ReasoningResponse>,
        content: Vec<types::ContentBlock>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let this = self.table.get_mut(&this)?;
        answer(content_from_guest(content).map(|content| this.edit().message.content = content))
    }

    fn usage(&mut self, this: Resource<ReasoningResponse>) -> wasmtime::Result<Option<types::Usage>> {
        Ok(self.table.get(&this)?.usage.clone().map(usage_to_guest))
    }

    fn finish_reason(&mut self, this: Resource<ReasoningResponse>) -> wasmtime::Result<types::FinishReason> {
        Ok(reason_to_guest(self.table.get(&this)?.finish_reason))
    }
}
