//! The contract's `model-request` and `model-response`: one call of a model.

use std::sync::Arc;

use wasmtime::component::Resource;

use crate::message::Message;
use crate::request::{ModelRequest, ModelResponse};
use crate::sandbox::bindings::cepa::middleware::{requests as wit, types};
use crate::sandbox::convert::{
    choice_from_guest, choice_to_guest, content_from_guest, message_from_guest, message_to_guest,
    messages_from_guest, messages_to_guest, tool_to_guest, tools_from_guest,
};
use crate::sandbox::store::GuestState;

use super::{answer, said_by_model, shared_resource, values};

impl GuestState {
    /// A request, of which the list of messages is to be edited. The messages in it stay shared.
    fn edit_list(&mut self, this: &Resource<ModelRequest>) -> wasmtime::Result<&mut ModelRequest> {
        let request = self.table.get(this)?;
        if request.is_shared() || Arc::strong_count(&request.messages) > 1 {
            // The copy, and the room it takes to grow.
            let list = 2 * size_of_val(request.messages.as_slice()) as u64;
            self.budget.copy(list)?;
        }
        self.edit(this)
    }

    /// Edits the messages of a request with one that a guest gives.
    fn with_message(
        &mut self,
        this: &Resource<ModelRequest>,
        message: types::Message,
        edit: impl FnOnce(&mut ModelRequest, Message) -> Result<(), crate::error::Error>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let this = self.edit_list(this)?;
        answer(message_from_guest(message).and_then(|message| edit(this, message)))
    }
}

impl wit::HostModelRequest for GuestState {
    shared_resource!(ModelRequest);
    values!(ModelRequest, metadata: metadata, set_metadata);
    values!(ModelRequest, parameters: parameter, set_parameter);

    fn new(&mut self, model: String) -> wasmtime::Result<Resource<ModelRequest>> {
        self.give(ModelRequest::to(model))
    }

    fn model(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.model.clone())
    }

    fn set_model(&mut self, this: Resource<ModelRequest>, alias: String) -> wasmtime::Result<()> {
        self.edit(&this)?.edit().model = alias;
        Ok(())
    }

    fn system_prompt(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.system_prompt.clone())
    }

    fn set_system_prompt(
        &mut self,
        this: Resource<ModelRequest>,
        prompt: Option<String>,
    ) -> wasmtime::Result<()> {
        self.edit(&this)?.edit().system_prompt = prompt;
        Ok(())
    }

    fn message_count(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<u32> {
        Ok(u32::try_from(self.table.get(&this)?.messages.len()).unwrap_or(u32::MAX))
    }

    fn message(
        &mut self,
        this: Resource<ModelRequest>,
        index: u32,
    ) -> wasmtime::Result<Result<types::Message, types::Error>> {
        let message = self.table.get(&this)?.message(index).map(|message| Message::clone(message));
        answer(message.map(message_to_guest))
    }

    fn messages(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<Vec<types::Message>> {
        Ok(self.budget.ready(messages_to_guest(&self.table.get(&this)?.messages))?)
    }

    fn set_messages(
        &mut self,
        this: Resource<ModelRequest>,
        messages: Vec<types::Message>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let this = self.edit(&this)?;
        answer(messages_from_guest(messages).map(|messages| {
            this.edit().messages = Arc::new(messages.into_iter().map(Arc::new).collect());
        }))
    }

    fn push_message(
        &mut self,
        this: Resource<ModelRequest>,
        message: types::Message,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        self.with_message(&this, message, |request, message| {
            request.push_message(message);
            Ok(())
        })
    }

    fn insert_message(
        &mut self,
        this: Resource<ModelRequest>,
        index: u32,
        message: types::Message,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        self.with_message(&this, message, |request, message| request.insert_message(index, message))
    }

    fn replace_message(
        &mut self,
        this: Resource<ModelRequest>,
        index: u32,
        message: types::Message,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        self.with_message(&this, message, |request, message| request.replace_message(index, message))
    }

    fn remove_message(
        &mut self,
        this: Resource<ModelRequest>,
        index: u32,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        answer(self.edit_list(&this)?.remove_message(index))
    }

    fn tools(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<Vec<types::ToolDefinition>> {
        Ok(self.budget.ready(self.table.get(&this)?.tools.iter().map(tool_to_guest))?)
    }

    async fn set_tools(
        &mut self,
        this: Resource<ModelRequest>,
        tools: Vec<types::ToolDefinition>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let known = Arc::clone(&self.table.get(&this)?.tools);
        let tools = self.job(move || tools_from_guest(tools, &known)).await.flatten();
        let this = self.edit(&this)?;
        answer(tools.map(|tools| this.edit().tools = Arc::new(tools)))
    }

    fn tool_choice(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<types::ToolChoice> {
        Ok(choice_to_guest(self.table.get(&this)?.tool_choice.clone()))
    }

    fn set_tool_choice(
        &mut self,
        this: Resource<ModelRequest>,
        choice: types::ToolChoice,
    ) -> wasmtime::Result<()> {
        self.edit(&this)?.edit().tool_choice = choice_from_guest(choice);
        Ok(())
    }

    fn output_schema(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.output_schema.as_ref().map(ToString::to_string))
    }

    async fn set_output_schema(
        &mut self,
        this: Resource<ModelRequest>,
        schema: Option<String>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let schema = self.schema(schema).await?;
        let this = self.edit(&this)?;
        answer(schema.map(|schema| this.edit().output_schema = schema))
    }

    fn parameters(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<Vec<(String, String)>> {
        let parameters = &self.table.get(&this)?.parameters;
        Ok(parameters.iter().map(|(name, value)| (name.clone(), value.to_string())).collect())
    }

    fn internal(&mut self, this: Resource<ModelRequest>) -> wasmtime::Result<bool> {
        Ok(self.table.get(&this)?.internal)
    }
}

impl wit::HostModelResponse for GuestState {
    shared_resource!(ModelResponse);
    values!(ModelResponse, metadata: metadata, set_metadata);
    said_by_model!(ModelResponse);

    fn new(&mut self, content: Vec<types::ContentBlock>) -> wasmtime::Result<Resource<ModelResponse>> {
        self.give_answer(content_from_guest(content), ModelResponse::answer)
    }

    fn id(&mut self, this: Resource<ModelResponse>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.id.clone())
    }

    fn model(&mut self, this: Resource<ModelResponse>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.model.clone())
    }

    fn reported_model(&mut self, this: Resource<ModelResponse>) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.reported_model.clone())
    }

    fn provider(&mut self, this: Resource<ModelResponse>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.provider.clone())
    }
}
