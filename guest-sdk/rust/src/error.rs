//! Making errors.

use crate::{Error, ErrorKind};

impl Error {
    /// An error of this kind; retryable where the kind says that waiting helps.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let retryable = matches!(
            kind,
            ErrorKind::Timeout
                | ErrorKind::RateLimited
                | ErrorKind::Overloaded
                | ErrorKind::Connection
                | ErrorKind::Upstream
        );
        let message = message.into();
        Self { kind, code: String::new(), message, retryable, retry_after_ms: None, status: None }
    }

    /// A value that can't be used.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// Raised by this middleware for a reason of its own; `code` is a stable word in kebab case.
    pub fn rejected(code: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Rejected, message).code(code)
    }

    /// A defect of this middleware.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The same with a finer, stable word in kebab case.
    #[must_use]
    pub fn code(mut self, code: &str) -> Self {
        code.clone_into(&mut self.code);
        self
    }

    /// The same with whether the call may succeed later.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// The same with how long to wait, in milliseconds.
    #[must_use]
    pub fn retry_after_ms(mut self, wait: u32) -> Self {
        self.retry_after_ms = Some(wait);
        self
    }
}

impl From<serde_json::Error> for Error {
    fn from(cause: serde_json::Error) -> Self {
        Self::invalid(format!("malformed JSON: {cause}"))
    }
}
