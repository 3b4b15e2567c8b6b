//! The host's side of the contract's `requests`: one file for each pair of request and response.

mod compress;
mod draft;
mod model;
mod permission;
mod reasoning;
mod reply;
mod tool;
mod unreadable;

use serde_json::{Map, Value};
use wasmtime::component::Resource;

use crate::error::Error;

use super::bindings::cepa::middleware::types;
use super::convert::{
    call_to_guest, content_from_guest, error_to_guest, json_from_guest, message_to_guest, reason_to_guest,
    schema_from_guest, usage_to_guest,
};
use super::copied::Shared;
use super::store::GuestState;

/// `clone` and `drop` of a shared resource.
macro_rules! shared_resource {
    ($resource:ty) => {
        fn clone(&mut self, this: Resource<$resource>) -> wasmtime::Result<Resource<$resource>> {
            let copy = self.table.get(&this)?.clone();
            let copy = self.give(copy)?;
            self.unreadable.copy(this.rep(), copy.rep());
            Ok(copy)
        }

        fn drop(&mut self, this: Resource<$resource>) -> wasmtime::Result<()> {
            self.unreadable.take(this.rep());
            self.table.delete(this)?;
            Ok(())
        }
    };
}
use shared_resource;

/// A getter and a setter of values that stand under names in a field of the data.
macro_rules! values {
    ($resource:ty, $field:ident: $get:ident, $set:ident) => {
        fn $get(&mut self, this: Resource<$resource>, name: String) -> wasmtime::Result<Option<String>> {
            Ok(super::read_value(&self.table.get(&this)?.$field, &name))
        }

        fn $set(
            &mut self,
            this: Resource<$resource>,
            name: String,
            value: Option<String>,
        ) -> wasmtime::Result<Result<(), types::Error>> {
            self.budget.parse(value.as_deref())?;
            let this = self.edit(&this)?;
            Ok(super::parse_value(value).map(|value| super::put_value(&mut this.edit().$field, name, value)))
        }
    };
}
use values;

pub(super) use unreadable::Unreadable;

/// What a response tells of a model: its message, its tokens, and why it stopped.
macro_rules! said_by_model {
    ($resource:ty) => {
        fn message(&mut self, this: Resource<$resource>) -> wasmtime::Result<types::Message> {
            Ok(super::message_to_guest(self.table.get(&this)?.message.clone()))
        }

        fn text(&mut self, this: Resource<$resource>) -> wasmtime::Result<String> {
            Ok(self.table.get(&this)?.message.text())
        }

        fn tool_calls(&mut self, this: Resource<$resource>) -> wasmtime::Result<Vec<types::ToolCall>> {
            Ok(self.table.get(&this)?.message.tool_calls().cloned().map(super::call_to_guest).collect())
        }

        fn set_content(
            &mut self,
            this: Resource<$resource>,
            content: Vec<types::ContentBlock>,
        ) -> wasmtime::Result<Result<(), types::Error>> {
            let content = super::content_from_guest(content);
            if content.is_ok() {
                self.unreadable.take(this.rep());
            }
            let data = self.edit(&this)?;
            super::answer(content.map(|content| data.edit().message.content = content))
        }

        fn usage(&mut self, this: Resource<$resource>) -> wasmtime::Result<Option<types::Usage>> {
            Ok(self.table.get(&this)?.usage.clone().map(super::usage_to_guest))
        }

        fn finish_reason(&mut self, this: Resource<$resource>) -> wasmtime::Result<types::FinishReason> {
            Ok(super::reason_to_guest(self.table.get(&this)?.finish_reason))
        }
    };
}
use said_by_model;

impl GuestState {
    /// A request or response that is to be edited. What that copies counts as copied.
    fn edit<T: Shared>(&mut self, this: &Resource<T>) -> wasmtime::Result<&mut T> {
        let value = self.table.get_mut(this)?;
        self.budget.edit(value.copied_by_edit())?;
        Ok(value)
    }

    /// The JSON Schema that a guest sets; absent to remove.
    async fn schema(&mut self, schema: Option<String>) -> wasmtime::Result<Result<Option<Value>, Error>> {
        let Some(text) = schema else { return Ok(Ok(None)) };
        self.budget.parse(Some(&text))?;
        let schema = self.job(move || schema_from_guest("the schema", &text)).await.flatten();
        Ok(schema.map(Some))
    }

    /// A response of a layer's own. A constructor has no error value, so what is wrong with the content is answered in
    /// the response's place when it is returned.
    fn give_answer<B, T: Send + 'static>(
        &mut self,
        content: Result<Vec<B>, Error>,
        response: impl FnOnce(Vec<B>) -> T,
    ) -> wasmtime::Result<Resource<T>> {
        let (content, error) = match content {
            Ok(content) => (content, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let response = self.give(response(content))?;
        if let Some(error) = error {
            self.unreadable.put(response.rep(), error);
        }
        Ok(response)
    }
}

/// A value of a map as JSON text.
fn read_value(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).map(Value::to_string)
}

/// The JSON value that a guest sets; absent to remove.
fn parse_value(value: Option<String>) -> Result<Option<Value>, types::Error> {
    value.map(|text| json_from_guest("the value", &text)).transpose().map_err(error_to_guest)
}

fn put_value(map: &mut Map<String, Value>, key: String, value: Option<Value>) {
    match value {
        Some(value) => {
            map.insert(key, value);
        }
        None => {
            map.shift_remove(&key);
        }
    }
}

/// A result whose error the guest sees.
#[expect(clippy::unnecessary_wraps, reason = "the form that every function of the contract answers in")]
pub(super) fn answer<T>(result: Result<T, Error>) -> wasmtime::Result<Result<T, types::Error>> {
    Ok(result.map_err(error_to_guest))
}
