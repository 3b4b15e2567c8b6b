//! What one layer was granted of the network.

use std::sync::Arc;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, Url};

use super::bounds::Bounds;
use super::error::{FetchError, Server};
use super::header::Header;
use super::rule::Rule;
use super::scrub::Scrubber;
use super::secrets::SecretGrant;
use super::template::Template;
use super::url::shown;
use crate::secret::Secret;

/// Rules, secrets and bounds of a layer.
#[derive(Debug)]
pub(super) struct Granted {
    pub(super) rules: Arc<[Rule]>,
    secrets: Vec<SecretGrant>,
    pub(super) scrubber: Arc<Scrubber>,
    pub(super) bounds: Bounds,
}

impl Granted {
    pub(super) fn new(
        rules: Arc<[Rule]>,
        secrets: Vec<SecretGrant>,
        bounds: Bounds,
    ) -> Result<Self, FetchError> {
        let scrubber = Scrubber::new(secrets.iter().map(|grant| &grant.secret))
            .map_err(|error| FetchError::Unavailable(error.to_string()))?;
        Ok(Self { rules, secrets, scrubber: Arc::new(scrubber), bounds })
    }

    /// Whether some rule covers a request. `from` is the address whose redirect leads there.
    pub(super) fn check(&self, method: &Method, url: &Url, from: Option<&Url>) -> Result<(), FetchError> {
        if self.rules.iter().any(|rule| rule.covers(method, url)) {
            return Ok(());
        }
        Err(FetchError::NotGranted { request: format!("{method} {}", shown(url)), from: from.map(shown) })
    }

    /// Whether all secrets in a value may be sent to this server.
    pub(super) fn check_secrets(&self, value: &Template, url: &Url) -> Result<(), FetchError> {
        value.secrets().try_for_each(|name| self.secret(name, url).map(drop))
    }

    /// The headers as they are sent to this server, secrets filled in.
    pub(super) fn fill(&self, headers: &[Header], url: &Url) -> Result<HeaderMap, FetchError> {
        let mut filled = HeaderMap::new();
        for header in headers {
            let text =
                header.value.fill(|name| self.secret(name, url).map(|secret| secret.expose().to_owned()))?;
            let mut value = HeaderValue::from_str(&text).map_err(|_| FetchError::Header {
                name: header.name.to_string(),
                why: "its value has characters that HTTP does not allow",
            })?;
            value.set_sensitive(true);
            filled.append(header.name.clone(), value);
        }
        Ok(filled)
    }

    /// Whether some secret may be sent to this server.
    pub(super) fn has_secret_for(&self, url: &Url) -> bool {
        self.secrets.iter().any(|secret| secret.is_for(url))
    }

    /// A secret for this server. One that is not there and one that is not granted are told apart nowhere.
    fn secret(&self, name: &str, url: &Url) -> Result<&Secret, FetchError> {
        let granted = self.secrets.iter().find(|secret| secret.name == name);
        match granted.filter(|secret| secret.is_for(url)) {
            Some(grant) => Ok(&grant.secret),
            None => Err(FetchError::SecretNotGranted {
                name: name.chars().take(64).collect(),
                server: Server(url).to_string(),
            }),
        }
    }
}
