//! The contract's `permission-request`: a tool call that is to be allowed.

use wasmtime::component::Resource;

use crate::request::PermissionRequest;
use crate::sandbox::bindings::cepa::middleware::{requests as wit, types};
use crate::sandbox::convert::{call_to_guest, tool_to_guest};
use crate::sandbox::store::GuestState;

use super::shared_resource;

impl wit::HostPermissionRequest for GuestState {
    shared_resource!(PermissionRequest);

    fn call(&mut self, this: Resource<PermissionRequest>) -> wasmtime::Result<types::ToolCall> {
        Ok(call_to_guest(self.table.get(&this)?.call.clone()))
    }

    fn definition(
        &mut self,
        this: Resource<PermissionRequest>,
    ) -> wasmtime::Result<Option<types::ToolDefinition>> {
        Ok(self.table.get(&this)?.definition.as_ref().map(tool_to_guest))
    }

    fn confirmed(&mut self, this: Resource<PermissionRequest>) -> wasmtime::Result<bool> {
        Ok(self.table.get(&this)?.confirmed)
    }
}
