//! The contract's `reply-request` and `reply-response`: a whole reply.

use wasmtime::component::Resource;

use crate::error::Error;
use crate::request::{ReplyRequest, ReplyResponse};
use crate::sandbox::bindings::cepa::middleware::{requests as wit, types};
use crate::sandbox::convert::{
    choice_from_guest, choice_to_guest, content_from_guest, error_to_guest, message_to_guest,
    messages_from_guest, outcome_to_guest, usage_to_guest,
};
use crate::sandbox::store::GuestState;

use super::{answer, shared_resource, values};

impl wit::HostReplyRequest for GuestState {
    shared_resource!(ReplyRequest);
    values!(ReplyRequest, metadata: metadata, set_metadata);

    fn input(&mut self, this: Resource<ReplyRequest>) -> wasmtime::Result<Vec<types::Message>> {
        Ok(self.table.get(&this)?.input.iter().cloned().map(message_to_guest).collect())
    }

    fn set_input(
        &mut self,
        this: Resource<ReplyRequest>,
        messages: Vec<types::Message>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let this = self.edit(&this)?;
        answer(messages_from_guest(messages).and_then(|messages| this.set_input(messages)))
    }

    fn resumed(&mut self, this: Resource<ReplyRequest>) -> wasmtime::Result<bool> {
        Ok(self.table.get(&this)?.resumed)
    }

    fn output_schema(&mut self, this: Resource<ReplyRequest>) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.output_schema.as_ref().map(ToString::to_string))
    }

    async fn set_output_schema(
        &mut self,
        this: Resource<ReplyRequest>,
        schema: Option<String>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let schema = self.schema(schema).await?;
        let this = self.edit(&this)?;
        answer(schema.map(|schema| this.edit().output_schema = schema))
    }

    fn tool_choice(&mut self, this: Resource<ReplyRequest>) -> wasmtime::Result<types::ToolChoice> {
        Ok(choice_to_guest(self.table.get(&this)?.tool_choice.clone()))
    }

    fn set_tool_choice(
        &mut self,
        this: Resource<ReplyRequest>,
        choice: types::ToolChoice,
    ) -> wasmtime::Result<()> {
        self.edit(&this)?.edit().tool_choice = choice_from_guest(choice);
        Ok(())
    }
}

impl wit::HostReplyResponse for GuestState {
    shared_resource!(ReplyResponse);

    fn new(&mut self, content: Vec<types::ContentBlock>) -> wasmtime::Result<Resource<ReplyResponse>> {
        self.give_answer(content_from_guest(content), ReplyResponse::answer)
    }

    fn outcome(&mut self, this: Resource<ReplyResponse>) -> wasmtime::Result<types::Outcome> {
        Ok(outcome_to_guest(self.table.get(&this)?.outcome))
    }

    fn message(&mut self, this: Resource<ReplyResponse>) -> wasmtime::Result<Option<types::Message>> {
        Ok(self.table.get(&this)?.message.clone().map(message_to_guest))
    }

    fn text(&mut self, this: Resource<ReplyResponse>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.text())
    }

    fn set_content(
        &mut self,
        this: Resource<ReplyResponse>,
        content: Vec<types::ContentBlock>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let data = self.edit(&this)?;
        let set = content_from_guest(content).and_then(|content| match &mut data.edit().message {
            Some(message) => {
                message.content = content;
                Ok(())
            }
            None => Err(Error::invalid("the reply has no final message, so its content can't be set")),
        });
        if set.is_ok() {
            self.unreadable.take(this.rep());
        }
        answer(set)
    }

    fn structured_output(&mut self, this: Resource<ReplyResponse>) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.structured_output.as_ref().map(ToString::to_string))
    }

    fn error(&mut self, this: Resource<ReplyResponse>) -> wasmtime::Result<Option<types::Error>> {
        Ok(self.table.get(&this)?.error.clone().map(error_to_guest))
    }

    fn usage(&mut self, this: Resource<ReplyResponse>) -> wasmtime::Result<types::Usage> {
        Ok(usage_to_guest(self.table.get(&this)?.usage.clone()))
    }

    fn steps(&mut self, this: Resource<ReplyResponse>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.steps)
    }
}
