//! Why a request was not sent, or got no answer. No text here shows a secret or an IP address.

use std::fmt;
use std::time::Duration;

use super::address::AddressKind;
use crate::error::{Error, ErrorKind};

/// Why a request came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No rule of the grant covers it.
    #[error("the capability `http` is not granted for `{request}`{}", led_from(.from.as_deref()))]
    NotGranted {
        /// Method and address.
        request: String,
        /// The address whose redirect leads there.
        from: Option<String>,
    },
    /// The layer has no such secret, or not for this server.
    #[error("the capability `secrets` is not granted for `{name}` at {server}")]
    SecretNotGranted {
        /// The secret's name.
        name: String,
        /// The server.
        server: String,
    },
    /// The name leads to addresses that were not granted alone.
    #[error(
        "the capability `http` is not granted for {kind} address, and `{host}` has no other; where that is wanted, {help}",
        help = .kind.help()
    )]
    Address {
        /// The name.
        host: String,
        /// What kind of address it has.
        kind: AddressKind,
    },
    /// The method can't be sent.
    #[error(
        "`{0}` is no method that can be sent: a word in capitals is wanted, and neither `CONNECT` nor `TRACE`"
    )]
    Method(String),
    /// The address can't be used.
    #[error("the address `{url}` can't be used: {why}")]
    Url {
        /// The address without its query.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The header can't be sent.
    #[error("the header `{name}` can't be sent: {why}")]
    Header {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A bound was reached.
    #[error("limit `{name}` reached: {used} of {allowed} allowed")]
    Limit {
        /// Which.
        name: &'static str,
        /// How much it allows.
        allowed: u64,
        /// How much it was, at least.
        used: u64,
    },
    /// Something took too long.
    #[error("{server} {what}: limit `{limit}` of {allowed:?} passed")]
    Late {
        /// The server.
        server: String,
        /// What it did not do.
        what: &'static str,
        /// Which limit.
        limit: &'static str,
        /// How long it allows.
        allowed: Duration,
    },
    /// The name has no address.
    #[error("the name `{0}` has no address")]
    NoAddress(String),
    /// There is no connection.
    #[error("{server} could not be reached: {cause}")]
    Unreachable {
        /// The server.
        server: String,
        /// What the system says.
        cause: String,
    },
    /// What came is no answer.
    #[error(
        "{server} gave no answer that can be read: it is cut, is no HTTP, or has too many or too large headers"
    )]
    BadAnswer {
        /// The server.
        server: String,
    },
    /// What came could not be looked through for secrets.
    #[error(
        "the answer of {server} is refused, since it is {what}: the secrets for this server could not be found in it"
    )]
    Unsearchable {
        /// The server.
        server: String,
        /// What the answer is.
        what: &'static str,
    },
    /// The connection ended before the answer did.
    #[error("{server} stopped in the middle of its answer: the connection was cut")]
    Cut {
        /// The server.
        server: String,
    },
    /// The redirect can't be followed.
    #[error("the redirect from `{from}` can't be followed: {why}")]
    Redirect {
        /// The address that redirects.
        from: String,
        /// What is wrong with it.
        why: String,
    },
    /// No client can be made on this machine.
    #[error("requests can't be made on this machine: {0}")]
    Unavailable(String),
}

fn led_from(from: Option<&str>) -> String {
    from.map_or_else(String::new, |from| format!(", where a redirect from `{from}` leads"))
}

impl AddressKind {
    /// How such an address is granted.
    fn help(self) -> &'static str {
        match self {
            Self::Loopback => "grant `localhost` or the address itself",
            Self::Private => "end the grant with `private`, or grant the address itself",
            _ => "grant the address itself",
        }
    }
}

impl FetchError {
    pub(super) fn limit(name: &'static str, allowed: usize, used: usize) -> Self {
        Self::Limit { name, allowed: allowed as u64, used: used as u64 }
    }

    /// The capability and the object that were denied, if it was for that.
    pub fn denied(&self) -> Option<(&'static str, String)> {
        match self {
            Self::NotGranted { request, .. } => Some(("http", request.clone())),
            Self::SecretNotGranted { name, server } => Some(("secrets", format!("{name} at {server}"))),
            Self::Address { host, kind } => Some(("http", format!("{host}, {kind} address"))),
            _ => None,
        }
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotGranted { .. } | Self::SecretNotGranted { .. } | Self::Address { .. } => {
                ErrorKind::Denied
            }
            Self::Method(_) | Self::Url { .. } | Self::Header { .. } => ErrorKind::InvalidInput,
            Self::Limit { .. } => ErrorKind::Limit,
            Self::Late { .. } => ErrorKind::Timeout,
            Self::NoAddress(_) => ErrorKind::NotFound,
            Self::Unreachable { .. } | Self::Cut { .. } => ErrorKind::Connection,
            Self::BadAnswer { .. } | Self::Unsearchable { .. } | Self::Redirect { .. } => ErrorKind::Upstream,
            Self::Unavailable(_) => ErrorKind::Internal,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotGranted { .. } | Self::SecretNotGranted { .. } => "not-granted",
            Self::Address { .. } => "address-not-granted",
            Self::Limit { name, .. } => name,
            Self::Late { limit, .. } => limit,
            Self::Redirect { .. } => "redirect",
            _ => "",
        }
    }
}

impl From<FetchError> for Error {
    fn from(error: FetchError) -> Self {
        let answer = Self::new(error.kind(), error.to_string()).code(error.code());
        // The same redirect or the same garbage comes again.
        let settled = matches!(
            error,
            FetchError::Redirect { .. } | FetchError::BadAnswer { .. } | FetchError::Unsearchable { .. }
        );
        if settled { answer.retryable(false) } else { answer }
    }
}

/// A server in a message.
pub(super) struct Server<'a>(pub(super) &'a reqwest::Url);

impl fmt::Display for Server<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.0;
        write!(f, "{}://{}", url.scheme(), url.host_str().unwrap_or_default())?;
        url.port().map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}
