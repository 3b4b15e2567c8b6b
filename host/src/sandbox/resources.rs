//! The host's side of the contract's `requests`: one file for each pair of request and response.

mod compress;
mod draft;
mod model;
mod permission;
mod reasoning;
mod reply;
mod tool;

use serde_json::{Map, Value};

use crate::error::Error;

use super::bindings::cepa::middleware::{requests as wit, types};
use super::convert::{error_to_guest, json_from_guest};
use super::store::GuestState;

impl wit::Host for GuestState {}
impl types::Host for GuestState {}
impl super::bindings::cepa::middleware::events::Host for GuestState {}

/// `clone` and `drop` of a shared resource.
macro_rules! shared_resource {
    ($resource:ty) => {
        fn clone(&mut self, this: Resource<$resource>) -> wasmtime::Result<Resource<$resource>> {
            let copy = self.table.get(&this)?.clone();
            self.give(copy)
        }

        fn drop(&mut self, this: Resource<$resource>) -> wasmtime::Result<()> {
            self.table.delete(this)?;
            Ok(())
        }
    };
}
use shared_resource;

/// `metadata` and `set-metadata` of a resource whose data has a field `metadata`.
macro_rules! metadata {
    ($resource:ty) => {
        fn metadata(&mut self, this: Resource<$resource>, key: String) -> wasmtime::Result<Option<String>> {
            Ok(super::read_value(&self.table.get(&this)?.metadata, &key))
        }

        fn set_metadata(
            &mut self,
            this: Resource<$resource>,
            key: String,
            value: Option<String>,
        ) -> wasmtime::Result<Result<(), types::Error>> {
            let this = self.table.get_mut(&this)?;
            Ok(super::parse_value(value).map(|value| super::put_value(&mut this.edit().metadata, key, value)))
        }
    };
}
use metadata;

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
#[expect(clippy::unnecessary_wraps, reason = "the form that every method of a resource answers in")]
fn answer<T>(result: Result<T, Error>) -> wasmtime::Result<Result<T, types::Error>> {
    Ok(result.map_err(error_to_guest))
}
