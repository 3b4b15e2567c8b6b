//! How much and how long.

use std::time::Duration;

/// The bounds of a layer's requests. Bodies and times are the layer's limits, the others are the same for every layer.
///
/// The limits `wall` and `bytes-copied` hold besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Requests and answers that a layer may hold at once in one reply. Default 32: each may hold a connection, and a step
    /// has eight tool calls at once.
    pub open: usize,
    /// Bytes of an address. Default 8 KiB: what servers accept.
    pub url: usize,
    /// Headers that a layer may add to a request. Default 64.
    pub request_headers: usize,
    /// Bytes of their names and values. Default 16 KiB: what servers accept.
    pub request_header_bytes: usize,
    /// Bytes of a request's body. Default 1 MiB.
    pub request_body: u64,
    /// Headers of an answer. Default 100.
    pub response_headers: usize,
    /// Bytes of their names and values. Default 64 KiB.
    pub response_header_bytes: usize,
    /// Bytes of an answer's body, as the server sends it. Default 16 MiB.
    pub response_body: u64,
    /// Redirects that are followed. Default 5.
    pub redirects: usize,
    /// Until the connection stands. Default 5 s.
    pub connect: Duration,
    /// From the request to its answer, and from one part of the answer to the next. Default 15 s.
    pub idle: Duration,
    /// For everything, from the request to the last byte, redirects included. Default 30 s.
    pub total: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            open: 32,
            url: 8 << 10,
            request_headers: 64,
            request_header_bytes: 16 << 10,
            request_body: 1 << 20,
            response_headers: 100,
            response_header_bytes: 64 << 10,
            response_body: 16 << 20,
            redirects: 5,
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(15),
            total: Duration::from_secs(30),
        }
    }
}
