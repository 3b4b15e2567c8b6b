//! How long a request may still take.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::error::FetchError;

/// The time of one request, from its begin to the last byte of its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    end: Instant,
    total: Duration,
    idle: Duration,
}

impl Clock {
    /// A clock that starts now.
    pub(super) fn start(total: Duration, idle: Duration) -> Self {
        Self { end: Instant::now() + total, total, idle }
    }

    /// Waits for something, but neither past the end nor, from now, longer than the idle time and `extra`.
    pub(super) async fn wait<T>(
        &self,
        server: &str,
        extra: Duration,
        future: impl Future<Output = T>,
    ) -> Result<T, FetchError> {
        let next = Instant::now() + self.idle + extra;
        timeout_at(next.min(self.end), future).await.map_err(|_| {
            let (what, limit, allowed) = if self.end <= next {
                ("was not done in time", "http-total", self.total)
            } else {
                ("sent nothing in time", "http-idle", self.idle)
            };
            FetchError::Late { server: server.to_owned(), what, limit, allowed }
        })
    }
}
