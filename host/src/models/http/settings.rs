//! What holds for every model that is reached over HTTP.

use std::time::Duration;

use crate::secret::Secret;

/// How long a call to a model may take, and each part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// From the request to the first byte of the answer; the connection is made and a large prompt read in this time.
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
