//! `models`: model calls of a layer's own.

use wasmtime::component::Resource;

use crate::request::{ModelRequest, ModelResponse};
use crate::sandbox::bindings::cepa::middleware::{models, types};
use crate::sandbox::convert::error_to_guest;
use crate::sandbox::store::GuestState;

use super::covers;

impl models::Host for GuestState {
    fn aliases(&mut self) -> wasmtime::Result<Result<Vec<String>, types::Error>> {
        let granted = &self.layer.spec.grants.models;
        if granted.is_empty() {
            return Ok(Err(error_to_guest(self.denied("models", ""))));
        }
        let known = self.context.services.aliases();
        Ok(Ok(known.into_iter().filter(|alias| covers(granted, alias)).collect()))
    }

    async fn complete(
        &mut self,
        request: Resource<ModelRequest>,
    ) -> wasmtime::Result<Result<Resource<ModelResponse>, types::Error>> {
        let mut request = self.table.delete(request)?;
        if !covers(&self.layer.spec.grants.models, &request.model) {
            return Ok(Err(error_to_guest(self.denied("models", &request.model))));
        }
        request.edit().internal = true;
        let result = self.context.services.complete(request).await;
        self.cpu.waited();
        match result {
            Ok(response) => Ok(Ok(self.give(response)?)),
            Err(error) => Ok(Err(error_to_guest(error))),
        }
    }
}
