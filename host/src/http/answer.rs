//! What a server answered: bounded, and without secrets.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_ENCODING, CONTENT_RANGE, HeaderName, TRANSFER_ENCODING};
use reqwest::{Response, StatusCode, Url};
use tokio::sync::OwnedSemaphorePermit;

use super::bounds::Bounds;
use super::error::{FetchError, Server};
use super::granted::Granted;
use super::scrub::{ScrubStream, Scrubber};
use super::time::Clock;

/// An answer, its body not read yet.
///
/// A body that is compressed is given as it is: the host asks for none and unpacks none. From a server that secrets are
/// for it is refused, and so is a part of a body: a secret would not be found in it.
pub struct Answer {
    status: u16,
    url: String,
    headers: Vec<(String, String)>,
    body: Body,
    ready: Vec<u8>,
    scrub: ScrubStream,
    received: u64,
    allowed: u64,
    server: String,
    clock: Clock,
    _slot: OwnedSemaphorePermit,
}

/// Without the response as it came, which may hold a secret.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, url, headers, .. } = self;
        f.debug_struct("Answer")
            .field("status", status)
            .field("url", url)
            .field("headers", headers)
            .finish_non_exhaustive()
    }
}

enum Body {
    Open(Response),
    Ended,
    Failed(FetchError),
}

impl Answer {
    pub(super) fn new(
        response: Response,
        granted: &Granted,
        clock: Clock,
        slot: OwnedSemaphorePermit,
    ) -> Result<Self, FetchError> {
        let allowed = granted.bounds.response_body;
        let length = response.content_length().unwrap_or_default();
        if length > allowed {
            return Err(too_large(allowed, length));
        }
        let url: &Url = response.url();
        if let Some(what) = unsearchable(&response).filter(|_| granted.has_secret_for(url)) {
            return Err(FetchError::Unsearchable { server: Server(url).to_string(), what });
        }
        Ok(Self {
            status: response.status().as_u16(),
            url: granted.scrubber.text(url.as_str()),
            headers: headers(&response, &granted.scrubber, &granted.bounds)?,
            server: Server(url).to_string(),
            body: Body::Open(response),
            ready: Vec::new(),
            scrub: ScrubStream::new(Arc::clone(&granted.scrubber)),
            received: 0,
            allowed,
            clock,
            _slot: slot,
        })
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The address that answered, after redirects.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The headers in order, names in lower case.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The next bytes of the body, at most `max`; empty at the end.
    ///
    /// # Errors
    /// When it is too large, takes too long or was cut; and the same again after that.
    pub async fn read(&mut self, max: usize) -> Result<Vec<u8>, FetchError> {
        while self.ready.is_empty() {
            match &mut self.body {
                Body::Ended => return Ok(Vec::new()),
                Body::Failed(error) => return Err(error.clone()),
                Body::Open(response) => {
                    let portion = self.clock.wait(&self.server, Duration::ZERO, response.chunk()).await;
                    self.take(
                        portion.and_then(|read| {
                            read.map_err(|_| FetchError::Cut { server: self.server.clone() })
                        }),
                    );
                }
            }
        }
        let rest = self.ready.split_off(max.min(self.ready.len()));
        Ok(std::mem::replace(&mut self.ready, rest))
    }

    /// A portion has come, or the end, or why there is none.
    fn take<P: AsRef<[u8]>>(&mut self, portion: Result<Option<P>, FetchError>) {
        match portion {
            Ok(Some(portion)) => {
                self.received += portion.as_ref().len() as u64;
                if self.received > self.allowed {
                    self.body = Body::Failed(too_large(self.allowed, self.received));
                } else {
                    self.ready = self.scrub.push(portion.as_ref());
                }
            }
            Ok(None) => {
                self.body = Body::Ended;
                self.ready = self.scrub.finish();
            }
            Err(error) => self.body = Body::Failed(error),
        }
    }
}

fn too_large(allowed: u64, used: u64) -> FetchError {
    FetchError::Limit { name: "http-response-body", allowed, used }
}

/// What a body is in which no secret can be found.
fn unsearchable(response: &Response) -> Option<&'static str> {
    let is_part =
        response.status() == StatusCode::PARTIAL_CONTENT || response.headers().contains_key(CONTENT_RANGE);
    let is_packed = is_coded(response, &CONTENT_ENCODING) || is_coded(response, &TRANSFER_ENCODING);
    if is_packed { Some("packed") } else { is_part.then_some("a part of the whole") }
}

/// Whether this header says that the body has another form than its own.
fn is_coded(response: &Response, name: &HeaderName) -> bool {
    let plain = |coding: &[u8]| {
        let coding = coding.trim_ascii();
        [&b""[..], b"identity", b"chunked"].iter().any(|plain| coding.eq_ignore_ascii_case(plain))
    };
    let values = response.headers().get_all(name);
    values.iter().any(|value| !value.as_bytes().split(|byte| *byte == b',').all(plain))
}

fn headers(
    response: &Response,
    scrubber: &Scrubber,
    bounds: &Bounds,
) -> Result<Vec<(String, String)>, FetchError> {
    let headers = response.headers();
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > bounds.response_header_bytes {
        return Err(FetchError::limit("http-response-header-bytes", bounds.response_header_bytes, bytes));
    }
    let shown = |value: &[u8]| scrubber.text(&String::from_utf8_lossy(value));
    Ok(headers
        .iter()
        .map(|(name, value)| (shown(name.as_str().as_bytes()), shown(value.as_bytes())))
        .collect())
}
