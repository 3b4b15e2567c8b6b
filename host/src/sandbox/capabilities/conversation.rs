//! `conversation`: the session's messages.

use std::sync::Arc;

use crate::error::Error;
use crate::message::Message;
use crate::policy::Access;
use crate::request::Messages;
use crate::sandbox::bindings::cepa::middleware::{conversation, types};
use crate::sandbox::convert::{error_to_guest, messages_from_guest, messages_to_guest};
use crate::sandbox::store::GuestState;

impl GuestState {
    fn conversation(&self, wanted: Access) -> Result<Messages, Error> {
        if self.layer.spec.grants.conversation >= wanted {
            return Ok(self.context.services.conversation());
        }
        Err(self.denied("conversation", if wanted == Access::Write { "write" } else { "read" }))
    }
}

/// The part of the messages from `start` to before `end`.
fn range(messages: &Messages, start: u32, end: u32) -> Result<&[Arc<Message>], Error> {
    messages.get(start as usize..end as usize).ok_or_else(|| {
        Error::invalid(format!(
            "range {start}..{end} is out of bounds: there are {} messages",
            messages.len()
        ))
    })
}

impl conversation::Host for GuestState {
    fn count(&mut self) -> wasmtime::Result<Result<u32, types::Error>> {
        let count = self.conversation(Access::Read).map(|all| u32::try_from(all.len()).unwrap_or(u32::MAX));
        Ok(count.map_err(error_to_guest))
    }

    fn read(&mut self, start: u32, end: u32) -> wasmtime::Result<Result<Vec<types::Message>, types::Error>> {
        let all = self.conversation(Access::Read);
        match all.as_ref().map_err(Error::clone).and_then(|all| range(all, start, end)) {
            Ok(part) => Ok(Ok(self.budget.ready(messages_to_guest(part))?)),
            Err(error) => Ok(Err(error_to_guest(error))),
        }
    }

    async fn replace(
        &mut self,
        start: u32,
        end: u32,
        messages: Vec<types::Message>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let messages = self.conversation(Access::Write).and_then(|_| messages_from_guest(messages));
        let result = match messages {
            Ok(messages) => self.budget.waiting(self.context.services.replace(start, end, messages)).await,
            Err(error) => Err(error),
        };
        Ok(result.map_err(error_to_guest))
    }
}
