//! The contract's `compress-request` and `compress-response`: the conversation before it is made shorter, and after.

use wasmtime::component::Resource;

use crate::request::{CompressRequest, CompressResponse, CompressResponseData};
use crate::sandbox::bindings::cepa::middleware::requests as wit;
use crate::sandbox::store::GuestState;

use super::shared_resource;

impl wit::HostCompressRequest for GuestState {
    shared_resource!(CompressRequest);

    fn step(&mut self, this: Resource<CompressRequest>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.step)
    }

    fn message_count(&mut self, this: Resource<CompressRequest>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.message_count)
    }

    fn estimated_tokens(&mut self, this: Resource<CompressRequest>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.estimated_tokens)
    }

    fn context_tokens(&mut self, this: Resource<CompressRequest>) -> wasmtime::Result<Option<u32>> {
        Ok(self.table.get(&this)?.context_tokens)
    }

    fn instructions(&mut self, this: Resource<CompressRequest>) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.instructions.clone())
    }

    fn set_instructions(
        &mut self,
        this: Resource<CompressRequest>,
        text: Option<String>,
    ) -> wasmtime::Result<()> {
        self.edit(&this)?.edit().instructions = text;
        Ok(())
    }
}

impl wit::HostCompressResponse for GuestState {
    shared_resource!(CompressResponse);

    fn new(
        &mut self,
        compressed: bool,
        summary: Option<String>,
    ) -> wasmtime::Result<Resource<CompressResponse>> {
        self.give(CompressResponse::new(CompressResponseData { compressed, summary }))
    }

    fn compressed(&mut self, this: Resource<CompressResponse>) -> wasmtime::Result<bool> {
        Ok(self.table.get(&this)?.compressed)
    }

    fn summary(&mut self, this: Resource<CompressResponse>) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.summary.clone())
    }
}
