//! Secrets that go with requests.

use reqwest::Url;

use super::origin::Origin;
use crate::secret::Secret;

/// The shortest secret: a shorter one would be found by chance in any text, or guessed.
const MIN_BYTES: usize = 8;
/// The longest one: what still fits into a header.
const MAX_BYTES: usize = 4096;

/// A secret of a layer, and the servers that it may be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretGrant {
    /// What `${secret:NAME}` calls it.
    pub(super) name: String,
    pub(super) secret: Secret,
    pub(super) servers: Vec<Origin>,
}

impl SecretGrant {
    /// A secret for these servers.
    ///
    /// # Errors
    /// When it can't stand in a header, or is too short to be kept out of what comes back.
    pub fn new(name: impl Into<String>, secret: Secret, servers: Vec<Origin>) -> Result<Self, String> {
        let bytes = secret.expose().len();
        if !(MIN_BYTES..=MAX_BYTES).contains(&bytes) {
            return Err(format!("a secret has {MIN_BYTES} to {MAX_BYTES} bytes, and this one {bytes}"));
        }
        if !secret.expose().bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(
                "a secret stands in a header: one line of ASCII without control characters".to_owned()
            );
        }
        if servers.is_empty() {
            return Err("a secret is for one server at least".to_owned());
        }
        if servers.iter().any(Origin::is_any) {
            return Err("a secret is for named servers, and `*` is any".to_owned());
        }
        Ok(Self { name: name.into(), secret, servers })
    }

    /// Whether it may be sent to this server.
    pub(super) fn is_for(&self, url: &Url) -> bool {
        self.servers.iter().any(|server| server.covers(url))
    }

    /// What `${secret:NAME}` calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The servers that it may be sent to.
    pub fn servers(&self) -> &[Origin] {
        &self.servers
    }
}
