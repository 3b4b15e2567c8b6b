//! Sends one request on a connection to an address that was checked, and nothing that was not asked for: no proxy, no
//! cookie, no redirect, no compression, no retry.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder, Response, Url, redirect, retry};
use tokio::sync::OnceCell;

use super::bounds::Bounds;
use super::error::{FetchError, Server};
use super::hop::Hop;
use super::reach::Reach;
use super::resolve::{Forbidden, Guarded, NoAddress, Resolver};
use super::rule::Rule;
use super::time::Clock;
use super::url::shown;

/// How long a connection is kept for the next request.
const KEPT: Duration = Duration::from_secs(15);

/// How many are kept for each server, where the servers are few.
const KEPT_CONNECTIONS: usize = 4;

/// The connections of one layer. They are shared with no other, since what is allowed differs.
#[derive(Debug)]
pub(super) struct Transport {
    resolver: Arc<dyn Resolver>,
    rules: Arc<[Rule]>,
    bounds: Bounds,
    /// One for each reach, so that no connection serves a request that may not go as far. Made at its first request:
    /// most layers make none, and reading the system's certificates takes long.
    clients: [OnceCell<Client>; 3],
}

impl Transport {
    pub(super) fn new(resolver: Arc<dyn Resolver>, rules: Arc<[Rule]>, bounds: Bounds) -> Self {
        Self { resolver, rules, bounds, clients: Default::default() }
    }

    /// Sends a request and gives the answer as far as its headers.
    pub(super) async fn send(
        &self,
        hop: &Hop,
        headers: HeaderMap,
        clock: &Clock,
    ) -> Result<Response, FetchError> {
        let reach = Reach::of(&self.rules, &hop.method, &hop.url);
        let client = self.client(reach).get_or_try_init(|| self.build(reach)).await?;
        let mut request = client
            .request(hop.method.clone(), hop.url.clone())
            .headers(headers)
            .header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if !hop.body.is_empty() {
            request = request.body(hop.body.clone());
        }
        let server = Server(&hop.url).to_string();
        let sent = clock.wait(&server, self.bounds.connect, request.send()).await?;
        sent.map_err(|error| self.unsent(&hop.url, &error))
    }

    fn client(&self, reach: Reach) -> &OnceCell<Client> {
        let [public, private, loopback] = &self.clients;
        match reach {
            Reach::Public => public,
            Reach::Private => private,
            Reach::Loopback => loopback,
        }
    }

    async fn build(&self, reach: Reach) -> Result<Client, FetchError> {
        // A layer that may ask any server could make the host keep a connection to each of thousands.
        let wild = self.rules.iter().any(|rule| rule.origin.is_wild());
        let mut builder = plain(Client::builder())
            .dns_resolver(Guarded { resolver: Arc::clone(&self.resolver), reach })
            .pool_max_idle_per_host(if wild { 0 } else { KEPT_CONNECTIONS })
            .connect_timeout(self.bounds.connect)
            .http1_max_headers(self.bounds.response_headers);
        if !self.rules.iter().any(|rule| rule.origin.is_secure()) {
            builder = builder.tls_certs_only([]);
        }
        let unavailable = |error: &dyn StdError| FetchError::Unavailable(error.to_string());
        tokio::task::spawn_blocking(move || builder.build())
            .await
            .map_err(|error| unavailable(&error))?
            .map_err(|error| unavailable(&error.without_url()))
    }

    /// Why a request got no answer.
    fn unsent(&self, url: &Url, error: &reqwest::Error) -> FetchError {
        let host = || url.host_str().unwrap_or_default().to_owned();
        let server = Server(url).to_string();
        if let Some(Forbidden(kind)) = cause(error) {
            return FetchError::Address { host: host(), kind: *kind };
        }
        if error.is_dns() || cause::<NoAddress>(error).is_some() {
            return FetchError::NoAddress(host());
        }
        if error.is_builder() {
            let why = "it has characters that a request can't carry".to_owned();
            return FetchError::Url { url: shown(url), why };
        }
        if error.is_timeout() {
            let (what, limit) = ("could not be reached in time", "http-connect");
            return FetchError::Late { server, what, limit, allowed: self.bounds.connect };
        }
        match (error.is_connect(), cause::<io::Error>(error)) {
            (true, io) => FetchError::Unreachable { server, cause: io.map_or_else(unknown, reason) },
            (false, Some(_)) => FetchError::Cut { server },
            (false, None) => FetchError::BadAnswer { server },
        }
    }
}

/// A client that does what it is told and nothing besides, whatever features it was built with.
fn plain(builder: ClientBuilder) -> ClientBuilder {
    builder
        .user_agent(concat!("cepa/", env!("CARGO_PKG_VERSION")))
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .http1_only()
        .pool_idle_timeout(KEPT)
}

/// The first cause of this type.
fn cause<T: StdError + 'static>(error: &reqwest::Error) -> Option<&T> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(found) = cause.downcast_ref() {
            return Some(found);
        }
        source = cause.source();
    }
    None
}

fn unknown() -> String {
    "no connection".to_owned()
}

/// What the system says: its word for the kind alone, since its text may hold an address, or the words of TLS.
fn reason(error: &io::Error) -> String {
    match (error.kind(), error.get_ref()) {
        (io::ErrorKind::InvalidData, Some(tls)) => tls.to_string(),
        (kind, _) => kind.to_string(),
    }
}
