//! Sends a request and reads the answer, within limits of time and size.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::peer::Peer;
use crate::error::{Error, ErrorKind};
use crate::secret::Secret;

/// How much of a failed answer is read, in bytes: an error fits, and a large page is cut.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// How long a call to a model may take, and each part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// From the request to the first byte of the answer; a large prompt is read in this time.
    pub first_byte: Duration,
    /// Between two portions of the answer.
    pub idle: Duration,
    /// For the whole call.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_mins(2),
            idle: Duration::from_mins(1),
            total: Duration::from_mins(10),
        }
    }
}

/// What holds for every provider that is reached over HTTP.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Headers for every request. They replace those that the provider's protocol sets. Their values are never shown.
    pub headers: Vec<(String, Secret)>,
    /// How long a call may take.
    pub timeouts: Timeouts,
    /// How large an answer may be, in bytes as sent.
    pub max_response_bytes: usize,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self { headers: Vec::new(), timeouts: Timeouts::default(), max_response_bytes: 32 * 1024 * 1024 }
    }
}

/// What a protocol says in the headers of every request.
#[derive(Debug)]
pub(super) struct ProtocolHeaders {
    /// The provider's name.
    pub(super) provider: &'static str,
    /// The key, where the server wants one.
    pub(super) key: Option<Secret>,
    /// The header that it stands in.
    pub(super) key_header: &'static str,
    /// What stands before it there.
    pub(super) key_prefix: &'static str,
    /// Headers of one value.
    pub(super) fixed: &'static [(&'static str, &'static str)],
}

/// The address under `base` that `path` leads to; `base` may hold it already.
///
/// # Errors
/// `invalid-input` when the base is no address of HTTP.
pub(super) fn address(base: &str, path: &str) -> Result<Url, Error> {
    // The address itself may hold a password, so the message leaves it out.
    let mut url =
        Url::parse(base).map_err(|error| Error::invalid(format!("`base-url` is no address: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::invalid("`base-url` must begin with `http://` or `https://`"));
    }
    let stem = url.path().trim_end_matches('/').to_owned();
    if !stem.ends_with(path) {
        url.set_path(&format!("{stem}{path}"));
    }
    Ok(url)
}

/// The one address that a model is asked at.
#[derive(Debug)]
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    headers: HeaderMap,
    timeouts: Timeouts,
    max_bytes: usize,
    pub(super) peer: Arc<Peer>,
}

impl Endpoint {
    /// Prepares the address of a model.
    pub(super) fn new(
        model: &str,
        url: Url,
        protocol: &ProtocolHeaders,
        settings: &HttpSettings,
    ) -> Result<Self, Error> {
        let key = protocol.key.as_ref();
        let auth = key.map(|key| {
            (protocol.key_header, Secret::new(format!("{}{}", protocol.key_prefix, key.expose())))
        });
        let fixed = protocol.fixed.iter().map(|(name, value)| (*name, Secret::new(*value)));
        let own = settings.headers.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let mut headers = HeaderMap::new();
        for (name, value) in fixed.chain(auth).chain(own) {
            let (name, value) = header(name, &value)?;
            headers.insert(name, value);
        }
        // A value such as `Bearer KEY` is to be known by its last word too.
        let words = settings.headers.iter().flat_map(|(_, value)| value.expose().split_whitespace());
        let secrets = key.cloned().into_iter().chain(words.map(Secret::new)).collect();
        Ok(Self {
            client: client(&url, settings.timeouts.connect)?,
            url,
            headers,
            timeouts: settings.timeouts,
            max_bytes: settings.max_response_bytes,
            peer: Arc::new(Peer { provider: protocol.provider, model: model.to_owned(), secrets }),
        })
    }

    /// Sends a body and gives the answer as far as its beginning.
    ///
    /// # Errors
    /// When there is no connection, no answer in time, or an answer that says no.
    pub(super) async fn post(&self, body: &Value) -> Result<Reader, Error> {
        let start = Instant::now();
        let total = Limit { name: "total", at: start + self.timeouts.total, allowed: self.timeouts.total };
        let first = Limit {
            name: "first-byte",
            at: start + self.timeouts.connect + self.timeouts.first_byte,
            allowed: self.timeouts.first_byte,
        };
        let send = self.client.post(self.url.clone()).headers(self.headers.clone()).json(body).send();
        let response =
            within(&self.peer, first.or(total), send).await?.map_err(|error| self.unsent(&error))?;
        let mut reader = Reader {
            response,
            peer: Arc::clone(&self.peer),
            total,
            next: first,
            idle: self.timeouts.idle,
            received: 0,
            max_bytes: self.max_bytes,
        };
        if reader.response.status().is_success() { Ok(reader) } else { Err(reader.refusal().await) }
    }

    /// Says why a request got no answer, without the address.
    fn unsent(&self, error: &reqwest::Error) -> Error {
        if error.is_timeout() {
            return too_late(&self.peer, "connect", "could not be reached", self.timeouts.connect);
        }
        let cause = io_cause(error).map_or_else(String::new, |cause| format!(": {cause}"));
        let what = if error.is_connect() { "could not be reached" } else { "gave no answer" };
        let hint = if error.is_connect() { "; check `base-url` and that the server runs" } else { "" };
        self.peer.error(ErrorKind::Connection, format!("{what}{cause}{hint}"))
    }
}

fn header(name: &str, value: &Secret) -> Result<(HeaderName, HeaderValue), Error> {
    let invalid = |what: &str| Error::invalid(format!("header `{name}` has {what} that HTTP does not allow"));
    let parsed = name.parse::<HeaderName>().map_err(|_| invalid("a name"))?;
    let mut value = HeaderValue::from_str(value.expose()).map_err(|_| invalid("a value"))?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

fn client(url: &Url, connect: Duration) -> Result<Client, Error> {
    let mut builder = Client::builder()
        .user_agent(concat!("cepa/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        // A redirect could carry the key to another host, and turns a POST into a GET.
        .redirect(reqwest::redirect::Policy::none());
    if is_loopback(url) {
        builder = builder.no_proxy();
        if url.scheme() == "http" {
            // Reading the system's certificates takes long, and nothing here ever needs them.
            builder = builder.tls_certs_only([]);
        }
    }
    builder
        .build()
        .map_err(|error| Error::internal(format!("can't make an HTTP client: {}", error.without_url())))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The reason that the operating system gives; its kind alone, since its text may hold an address.
fn io_cause(error: &reqwest::Error) -> Option<String> {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(cause) = cause.downcast_ref::<std::io::Error>()
            && cause.kind() != std::io::ErrorKind::Other
        {
            return Some(cause.kind().to_string());
        }
        source = cause.source();
    }
    None
}

/// A moment by which something must have happened, and the setting that says so.
#[derive(Clone, Copy, Debug)]
struct Limit {
    name: &'static str,
    at: Instant,
    allowed: Duration,
}

impl Limit {
    fn or(self, other: Self) -> Self {
        if other.at < self.at { other } else { self }
    }
}

async fn within<T>(peer: &Peer, limit: Limit, future: impl Future<Output = T>) -> Result<T, Error> {
    timeout_at(limit.at, future).await.map_err(|_| {
        let what = if limit.name == "total" { "was not done in time" } else { "sent nothing in time" };
        too_late(peer, limit.name, what, limit.allowed)
    })
}

fn too_late(peer: &Peer, name: &str, what: &str, allowed: Duration) -> Error {
    let what = format!("{what}: `timeouts.{name}` of {allowed:?} passed");
    peer.error(ErrorKind::Timeout, what).code(&format!("{name}-timeout"))
}

/// The body of an answer, portion by portion.
#[derive(Debug)]
pub(super) struct Reader {
    response: Response,
    peer: Arc<Peer>,
    total: Limit,
    next: Limit,
    idle: Duration,
    received: usize,
    max_bytes: usize,
}

impl Reader {
    /// The next portion; `None` at the end.
    ///
    /// # Errors
    /// `connection` when it was cut, `timeout` when it stalls, `limit` when it is too large.
    pub(super) async fn portion(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let read = within(&self.peer, self.next.or(self.total), self.response.chunk()).await?;
        let Some(portion) = read.map_err(|_| self.peer.cut())? else { return Ok(None) };
        self.wait_at_most(self.idle);
        self.received = self.received.saturating_add(portion.len());
        if self.received > self.max_bytes {
            let allowed = self.max_bytes;
            let what = format!("answered with more than the {allowed} bytes of limit `max-response-bytes`");
            return Err(self.peer.error(ErrorKind::Limit, what).code("max-response-bytes"));
        }
        Ok(Some(portion.to_vec()))
    }

    /// Sets how long the next portion may take; less than the setting once the answer is all but done.
    pub(super) fn wait_at_most(&mut self, wait: Duration) {
        let allowed = wait.min(self.idle);
        self.next = Limit { name: "idle", at: Instant::now() + allowed, allowed };
    }

    /// Reads what is there already, so that the connection can serve the next call.
    pub(super) fn drain(&mut self) {
        while let Some(Ok(Some(_))) = self.portion().now_or_never() {}
    }

    async fn refusal(&mut self) -> Error {
        let status = self.response.status().as_u16();
        let headers = self.response.headers().clone();
        let mut body = Vec::new();
        // What could be read of it has to do: the status says enough.
        while let Ok(Some(portion)) = self.portion().await {
            body.extend_from_slice(&portion);
            if body.len() >= MAX_REFUSAL_BYTES {
                break;
            }
        }
        if (300..400).contains(&status) {
            let what = format!("answered {status}, a redirect, which is not followed; check `base-url`");
            return self.peer.error(ErrorKind::InvalidInput, what).status(status);
        }
        self.peer.refusal(status, &headers, &String::from_utf8_lossy(&body))
    }
}
