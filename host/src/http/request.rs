//! A request of a layer, checked part by part as it is written.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::error::FetchError;
use super::granted::Granted;
use super::header::Header;
use super::hop::Hop;
use super::{rule, url};

/// A request that was granted and not sent yet.
#[derive(Debug)]
pub struct Request {
    pub(super) granted: Arc<Granted>,
    pub(super) hop: Hop,
    pub(super) timeout: Option<Duration>,
    pub(super) slot: OwnedSemaphorePermit,
    header_bytes: usize,
}

impl Request {
    pub(super) fn new(
        granted: &Arc<Granted>,
        method: &str,
        url: &str,
        slot: impl FnOnce() -> Result<OwnedSemaphorePermit, FetchError>,
    ) -> Result<Self, FetchError> {
        let shown = || method.chars().filter(|char| !char.is_control()).take(32).collect();
        let method = rule::method(method).ok_or_else(|| FetchError::Method(shown()))?;
        let url = url::parse(url, &granted.bounds)?;
        granted.check(&method, &url, None)?;
        let hop = Hop { method, url, headers: Vec::new(), body: Vec::new() };
        Ok(Self { granted: Arc::clone(granted), hop, timeout: None, slot: slot()?, header_bytes: 0 })
    }

    /// Adds a header. `${secret:NAME}` in the value is filled in when it is sent.
    ///
    /// # Errors
    /// When HTTP does not allow it, when it is the host's to set, when there are too many, and when a secret is not
    /// granted for this server.
    pub fn add_header(&mut self, name: &str, value: &str) -> Result<(), FetchError> {
        let bounds = &self.granted.bounds;
        let bytes = self.header_bytes + Header::size(name, value);
        if bytes > bounds.request_header_bytes {
            return Err(FetchError::limit("http-request-header-bytes", bounds.request_header_bytes, bytes));
        }
        let count = self.hop.headers.len() + 1;
        if count > bounds.request_headers {
            return Err(FetchError::limit("http-request-headers", bounds.request_headers, count));
        }
        let header = Header::parse(name, value)?;
        self.granted.check_secrets(&header.value, &self.hop.url)?;
        self.hop.headers.push(header);
        self.header_bytes = bytes;
        Ok(())
    }

    /// Sets the body.
    ///
    /// # Errors
    /// When it is too large.
    pub fn set_body(&mut self, body: Vec<u8>) -> Result<(), FetchError> {
        let allowed = self.granted.bounds.request_body;
        let used = body.len() as u64;
        if used > allowed {
            return Err(FetchError::Limit { name: "http-request-body", allowed, used });
        }
        self.hop.body = body;
        Ok(())
    }

    /// Waits at most this long for the whole answer. More than the bound allows counts as the bound.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = Some(timeout);
    }
}
