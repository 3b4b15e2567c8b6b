//! The body of an answer.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use reqwest::Response;
use tokio::time::Instant;

use super::limit::{Limit, within};
use crate::error::{Error, ErrorKind};
use crate::models::peer::Peer;

/// How much of a failed answer is read, in bytes: an error fits, and a large page is cut.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// How long each portion of a failed answer may take.
const REFUSAL_WAIT: Duration = Duration::from_secs(5);

/// The body of an answer, portion by portion.
#[derive(Debug)]
pub(in crate::models) struct Reader {
    pub(super) response: Response,
    pub(super) peer: Arc<Peer>,
    pub(super) total: Limit,
    pub(super) next: Limit,
    pub(super) idle: Duration,
    pub(super) received: usize,
    pub(super) max_bytes: usize,
}

impl Reader {
    /// The next portion; `None` at the end.
    ///
    /// # Errors
    /// `connection` when it was cut, `timeout` when it stalls, `limit` when it is too large.
    pub(in crate::models) async fn portion(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let read = within(&self.peer, self.next.or(self.total), self.response.chunk()).await?;
        let Some(portion) = read.map_err(|_| self.peer.cut())? else { return Ok(None) };
        self.wait_at_most(self.idle);
        self.received = self.received.saturating_add(portion.len());
        if self.received > self.max_bytes {
            let allowed = self.max_bytes;
            let what = format!("answered with more than the {allowed} bytes of limit `max-response-bytes`");
            return Err(self.peer.error(ErrorKind::Limit, what).code("max-response-bytes"));
        }
        Ok(Some(portion.to_vec()))
    }

    /// Sets how long the next portion may take; less than the setting once the answer is all but done.
    pub(in crate::models) fn wait_at_most(&mut self, wait: Duration) {
        let allowed = wait.min(self.idle);
        self.next = Limit::after(Instant::now(), "idle", allowed);
    }

    /// Reads what is there already, so that the connection can serve the next call.
    pub(in crate::models) fn drain(&mut self) {
        while let Some(Ok(Some(_))) = self.portion().now_or_never() {}
    }

    /// Reads an answer that says no, and gives the error that it stands for.
    pub(super) async fn refusal(&mut self) -> Error {
        let status = self.response.status().as_u16();
        let headers = self.response.headers().clone();
        let mut body = Vec::new();
        while body.len() < MAX_REFUSAL_BYTES {
            self.wait_at_most(REFUSAL_WAIT);
            // What could be read of it has to do: the status says enough.
            let Ok(Some(portion)) = self.portion().await else { break };
            body.extend_from_slice(&portion);
        }
        if (300..400).contains(&status) {
            let what = format!("answered {status}, a redirect, which is not followed; check `base-url`");
            return self.peer.error(ErrorKind::InvalidInput, what).status(status);
        }
        self.peer.refusal(status, &headers, &String::from_utf8_lossy(&body))
    }
}
