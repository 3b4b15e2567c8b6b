//! Requests to servers. The rig's world holds the answers.

use std::cell::{Cell, RefCell};

use crate::rig::{Capability, granted};
use crate::{Error, ErrorKind};

/// What a request asks for, for a test to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpRequestData {
    /// `GET`, `POST` …
    pub method: String,
    /// The address.
    pub url: String,
    /// The headers as they were added, places for secrets and all.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How long to wait for the whole answer.
    pub timeout_ms: Option<u32>,
}

/// What a server answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponseData {
    /// The status.
    pub status: u16,
    /// The address that answered.
    pub url: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// A request that is not sent yet.
#[derive(Debug)]
pub struct HttpRequest(RefCell<HttpRequestData>);

#[expect(missing_docs, reason = "each method is documented in wit/capabilities.wit")]
impl HttpRequest {
    pub fn create(method: &str, url: &str) -> Result<Self, Error> {
        let (method, url) = (method.to_owned(), url.to_owned());
        granted(Capability::Http, |_| {
            Self(RefCell::new(HttpRequestData { method, url, ..HttpRequestData::default() }))
        })
    }

    pub fn add_header(&self, name: &str, value: &str) -> Result<(), Error> {
        self.0.borrow_mut().headers.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    pub fn set_body(&self, body: &[u8]) -> Result<(), Error> {
        body.clone_into(&mut self.0.borrow_mut().body);
        Ok(())
    }

    pub fn set_timeout(&self, milliseconds: u32) {
        self.0.borrow_mut().timeout_ms = Some(milliseconds);
    }
}

/// What a server answered.
#[derive(Debug)]
pub struct HttpResponse {
    data: HttpResponseData,
    read: Cell<usize>,
}

#[expect(missing_docs, reason = "each method is documented in wit/capabilities.wit")]
impl HttpResponse {
    pub fn status(&self) -> u16 {
        self.data.status
    }

    pub fn url(&self) -> String {
        self.data.url.clone()
    }

    pub fn headers(&self) -> Vec<(String, String)> {
        self.data.headers.clone()
    }

    pub fn header(&self, name: &str) -> Option<String> {
        let found = self.data.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    }

    pub fn read(&self) -> Result<Vec<u8>, Error> {
        let rest = self.data.body.get(self.read.get()..).unwrap_or_default();
        let portion = rest.chunks(64 << 10).next().unwrap_or_default();
        self.read.set(self.read.get() + portion.len());
        Ok(portion.to_vec())
    }
}

/// Sends a request: the next of the rig's answers comes.
#[allow(clippy::needless_pass_by_value, reason = "on wasm the handle is given away")]
pub fn fetch(request: HttpRequest) -> Result<HttpResponse, Error> {
    let answer = granted(Capability::Http, |world| {
        world.fetched.push(request.0.into_inner());
        world.http_answers.pop_front()
    })?;
    match answer {
        Some(answer) => answer.map(|data| HttpResponse { data, read: Cell::new(0) }),
        None => Err(Error::new(ErrorKind::NotFound, "the rig has no answer of a server left")),
    }
}
