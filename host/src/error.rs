//! Errors of a reply: what layers, models and tools answer instead of a result.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How an error is to be treated. The contract's `error-kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The caller's value can't be used.
    InvalidInput,
    /// No such message, tool, model or key.
    NotFound,
    /// The capability or the object was not granted.
    Denied,
    /// A limit was reached.
    Limit,
    /// Something took too long.
    Timeout,
    /// The provider asks to slow down.
    RateLimited,
    /// The provider can't serve now.
    Overloaded,
    /// The provider refused the key.
    Authentication,
    /// The request is larger than the model's context.
    ContextOverflow,
    /// The provider refused the content.
    ContentFilter,
    /// The connection failed or was cut.
    Connection,
    /// A server answered with what can't be understood or with a failure of its own.
    Upstream,
    /// The reply was aborted.
    Aborted,
    /// An inner layer broke a rule and its policy is to fail.
    Fault,
    /// Not offered by this host, provider or model.
    Unsupported,
    /// Raised by a middleware or a tool for reasons of its own.
    Rejected,
    /// A defect of the host or of the middleware.
    Internal,
    /// None of these.
    Other,
}

/// What went wrong, fit to be shown to a layer: no host path, no address, no other layer's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Error {
    /// How to treat it.
    pub kind: ErrorKind,
    /// A finer, stable word in kebab case, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// One sentence for a person.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// How long the provider asks to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u32>,
    /// The HTTP status, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

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
        Self {
            kind,
            code: String::new(),
            message: message.into(),
            retryable,
            retry_after_ms: None,
            status: None,
        }
    }

    /// A value that can't be used.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// A defect of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The reply was aborted.
    pub fn aborted() -> Self {
        Self::new(ErrorKind::Aborted, "the reply was aborted")
    }

    /// A limit was reached: which, how much was allowed, how much was used.
    pub fn limit(name: &str, allowed: impl fmt::Display, used: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Limit, format!("limit `{name}` reached: {used} of {allowed} allowed")).code(name)
    }

    /// The same with a finer word.
    #[must_use]
    pub fn code(mut self, code: &str) -> Self {
        code.clone_into(&mut self.code);
        self
    }

    /// The same with the HTTP status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The same with whether the call may succeed later.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// The same with the wait that the provider asks for.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after_ms = Some(u32::try_from(wait.as_millis()).unwrap_or(u32::MAX));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A layer broke a rule: a trap, a deadline, a limit, an unusable answer.
///
/// Unlike [`Error`] this is the host's judgement on the layer. Its text names the layer and goes to the operator;
/// other layers see only that an inner layer failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The layer's name.
    pub layer: String,
    /// The hook it was in.
    pub hook: &'static str,
    /// What happened, for the operator.
    pub cause: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "layer `{}` failed in hook `{}`: {}", self.layer, self.hook, self.cause)
    }
}

impl std::error::Error for Fault {}

/// Why a hook gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The layer, or what is inside it, answered an error.
    Error(Error),
    /// The layer itself broke a rule; what follows is up to its policy.
    Fault(Fault),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
