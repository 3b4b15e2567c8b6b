//! Errors.

use super::same_cases;
use crate::error::{Error, ErrorKind};
use crate::sandbox::bindings::cepa::middleware::types as wit;

same_cases!(
    kind_to_guest,
    kind_from_guest,
    ErrorKind,
    wit::ErrorKind {
        InvalidInput,
        NotFound,
        Denied,
        Limit,
        Timeout,
        RateLimited,
        Overloaded,
        Authentication,
        ContextOverflow,
        ContentFilter,
        Connection,
        Upstream,
        Aborted,
        Fault,
        Unsupported,
        Rejected,
        Internal,
        Other,
    }
);

pub(in crate::sandbox) fn error_to_guest(error: Error) -> wit::Error {
    wit::Error {
        kind: kind_to_guest(error.kind),
        code: error.code,
        message: error.message,
        retryable: error.retryable,
        retry_after_ms: error.retry_after_ms,
        status: error.status,
    }
}

pub(in crate::sandbox) fn error_from_guest(error: wit::Error) -> Error {
    Error {
        kind: kind_from_guest(error.kind),
        code: error.code,
        message: error.message,
        retryable: error.retryable,
        retry_after_ms: error.retry_after_ms,
        status: error.status,
    }
}
