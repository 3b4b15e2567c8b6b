//! One request to one server: the first, or one that a redirect asks for.

use reqwest::{Method, Url};

use super::header::Header;

/// What is sent at once.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: Vec<Header>,
    pub(super) body: Vec<u8>,
}
