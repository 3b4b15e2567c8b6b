//! `models`: model calls of a layer's own.

use wasmtime::component::Resource;

use crate::error::{Error, ErrorKind};
use crate::request::{ModelRequest, ModelResponse};
use crate::sandbox::bindings::cepa::middleware::{models, types};
use crate::sandbox::convert::error_to_guest;
use crate::sandbox::copied::Shared as _;
use crate::sandbox::store::GuestState;

use super::covers;

impl GuestState {
    /// The aliases that the layer may ask, sorted.
    fn granted_aliases(&self) -> Vec<String> {
        let granted = &self.layer.spec.grants.models;
        self.context.services.aliases().into_iter().filter(|alias| covers(granted, alias)).collect()
    }

    /// What hinders a call of this alias. Aliases that were not granted are not named.
    fn check_alias(&self, alias: &str) -> Result<(), Error> {
        if !covers(&self.layer.spec.grants.models, alias) {
            return Err(self.denied("models", alias));
        }
        let known = self.granted_aliases();
        if known.iter().any(|known| known == alias) {
            return Ok(());
        }
        let text = format!("no model has the alias `{alias}`; granted are: {}", known.join(", "));
        Err(Error::new(ErrorKind::NotFound, text))
    }
}

impl models::Host for GuestState {
    fn aliases(&mut self) -> wasmtime::Result<Result<Vec<String>, types::Error>> {
        if self.layer.spec.grants.models.is_empty() {
            return Ok(Err(error_to_guest(self.denied("models", ""))));
        }
        Ok(Ok(self.granted_aliases()))
    }

    async fn complete(
        &mut self,
        request: Resource<ModelRequest>,
    ) -> wasmtime::Result<Result<Resource<ModelResponse>, types::Error>> {
        let mut request = self.table.delete(request)?;
        if let Err(error) = self.check_alias(&request.model) {
            return Ok(Err(error_to_guest(error)));
        }
        self.budget.edit(request.copied_by_edit())?;
        request.edit().internal = true;
        let result = self.budget.waiting(self.context.services.complete(request)).await;
        match result {
            Ok(response) => {
                if let Some(usage) = &response.usage {
                    self.budget.ask(usage);
                }
                self.budget.copy(response.held())?;
                Ok(Ok(self.give(response)?))
            }
            Err(error) => Ok(Err(error_to_guest(error))),
        }
    }
}
