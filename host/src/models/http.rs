//! Sends a request and reads the answer, within limits of time and size.

mod limit;
mod reader;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use serde_json::Value;
use tokio::time::Instant;

use self::limit::{Limit, too_late, within};
pub(super) use self::reader::Reader;
pub use self::settings::{HttpSettings, Timeouts};
use super::peer::Peer;
use crate::error::{Error, ErrorKind};
use crate::secret::{Secret, address_secrets, shown_address};

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
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    headers: HeaderMap,
    timeouts: Timeouts,
    max_bytes: usize,
    pub(super) peer: Arc<Peer>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("url", &shown_address(self.url.as_str())).finish_non_exhaustive()
    }
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
        let secrets = key.cloned().into_iter().chain(words.map(Secret::new));
        let secrets = secrets.chain(address_secrets(&url)).collect();
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
        let (start, times) = (Instant::now(), self.timeouts);
        let total = Limit::after(start, "total", times.total);
        let first = Limit::after(start, "first-byte", times.first_byte);
        let send = self.client.post(self.url.clone()).headers(self.headers.clone()).json(body).send();
        let response =
            within(&self.peer, first.or(total), send).await?.map_err(|error| self.unsent(&error))?;
        let mut reader = Reader {
            response,
            peer: Arc::clone(&self.peer),
            total,
            next: first,
            idle: times.idle,
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
        let cause = cause(error).map_or_else(String::new, |cause| format!(": {cause}"));
        let what = if error.is_connect() { "could not be reached" } else { "gave no answer" };
        self.peer.error(ErrorKind::Connection, format!("{what}{cause}"))
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

/// Why there was no connection, without the texts of others, since they may hold an address.
fn cause(error: &reqwest::Error) -> Option<String> {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        // The resolver's error has no type of its own, and below it is one of the system that has no kind.
        if cause.to_string().starts_with("dns error") {
            return Some("the name of its host is not known".to_owned());
        }
        if let Some(cause) = cause.downcast_ref::<std::io::Error>()
            && cause.kind() != std::io::ErrorKind::Other
        {
            return Some(cause.kind().to_string());
        }
        source = cause.source();
    }
    None
}
