//! `http`: requests to granted servers.

use std::time::Duration;

use wasmtime::component::Resource;

use crate::error::Error;
use crate::http::{Answer, FetchError, Request};
use crate::sandbox::bindings::cepa::middleware::{http as wit, types};
use crate::sandbox::resources::answer;
use crate::sandbox::store::GuestState;

/// Bytes of a body in one call: enough for few calls, little enough for a small guest.
const READ_BYTES_MAX: usize = 64 << 10;

impl GuestState {
    /// The error as the guest sees it; a denial is noted for the operator as well.
    fn refused(&self, error: FetchError) -> Error {
        if let Some((capability, object)) = error.denied() {
            self.note_denied(capability, &object);
        }
        error.into()
    }
}

impl wit::HostHttpRequest for GuestState {
    fn create(
        &mut self,
        method: String,
        url: String,
    ) -> wasmtime::Result<Result<Resource<Request>, types::Error>> {
        let slots = self.reply_budget.http_slots(&self.layer.http);
        match self.layer.http.request(&method, &url, slots) {
            Ok(request) => Ok(Ok(self.give(request)?)),
            Err(error) => answer(Err(self.refused(error))),
        }
    }

    fn add_header(
        &mut self,
        this: Resource<Request>,
        name: String,
        value: String,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        let added = self.table.get_mut(&this)?.add_header(&name, &value);
        answer(added.map_err(|error| self.refused(error)))
    }

    fn set_body(
        &mut self,
        this: Resource<Request>,
        body: Vec<u8>,
    ) -> wasmtime::Result<Result<(), types::Error>> {
        answer(self.table.get_mut(&this)?.set_body(body).map_err(Error::from))
    }

    fn set_timeout(&mut self, this: Resource<Request>, milliseconds: u32) -> wasmtime::Result<()> {
        self.table.get_mut(&this)?.set_timeout(Duration::from_millis(u64::from(milliseconds)));
        Ok(())
    }

    fn drop(&mut self, this: Resource<Request>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl wit::HostHttpResponse for GuestState {
    fn status(&mut self, this: Resource<Answer>) -> wasmtime::Result<u16> {
        Ok(self.table.get(&this)?.status())
    }

    fn url(&mut self, this: Resource<Answer>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.url().to_owned())
    }

    fn headers(&mut self, this: Resource<Answer>) -> wasmtime::Result<Vec<(String, String)>> {
        Ok(self.table.get(&this)?.headers().to_vec())
    }

    fn header(&mut self, this: Resource<Answer>, name: String) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.header(&name).map(str::to_owned))
    }

    async fn read(&mut self, this: Resource<Answer>) -> wasmtime::Result<Result<Vec<u8>, types::Error>> {
        let response = self.table.get_mut(&this)?;
        let portion = self.budget.waiting(response.read(READ_BYTES_MAX)).await;
        answer(portion.map_err(Error::from))
    }

    fn drop(&mut self, this: Resource<Answer>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl wit::Host for GuestState {
    async fn fetch(
        &mut self,
        request: Resource<Request>,
    ) -> wasmtime::Result<Result<Resource<Answer>, types::Error>> {
        let request = self.table.delete(request)?;
        match self.budget.waiting(self.layer.http.fetch(request)).await {
            Ok(response) => Ok(Ok(self.give(response)?)),
            Err(error) => answer(Err(self.refused(error))),
        }
    }
}
