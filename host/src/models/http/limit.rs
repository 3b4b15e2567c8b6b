//! Limits of time.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::error::{Error, ErrorKind};
use crate::models::peer::Peer;

/// A moment by which something must have happened, and the setting that says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    name: &'static str,
    at: Instant,
    allowed: Duration,
}

/// Longer waits are cut to this, so that no setting leads out of the clock's range.
const LONGEST: Duration = Duration::from_hours(24 * 365);

impl Limit {
    /// The moment that lies this long after `start`.
    pub(super) fn after(start: Instant, name: &'static str, allowed: Duration) -> Self {
        Self { name, at: start + allowed.min(LONGEST), allowed }
    }

    /// The earlier one.
    pub(super) fn or(self, other: Self) -> Self {
        if other.at < self.at { other } else { self }
    }
}

/// Waits for a future, but not past the limit.
pub(super) async fn within<T>(
    peer: &Peer,
    limit: Limit,
    future: impl Future<Output = T>,
) -> Result<T, Error> {
    timeout_at(limit.at, future).await.map_err(|_| {
        let what = if limit.name == "total" { "was not done in time" } else { "sent nothing in time" };
        too_late(peer, limit.name, what, limit.allowed)
    })
}

/// The error of a limit that has passed.
pub(super) fn too_late(peer: &Peer, name: &str, what: &str, allowed: Duration) -> Error {
    let what = format!("{what}: `timeouts.{name}` of {allowed:?} passed");
    peer.error(ErrorKind::Timeout, what).code(&format!("{name}-timeout"))
}
