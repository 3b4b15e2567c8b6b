//! The standard output of a server, with a bound on each line: one line is one message.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

use super::MESSAGE_BYTES;

/// Fails when a line grows too long, and says so in `verdict`.
///
/// The transport above would drop such a line and go on, so that the caller waits in vain for its answer.
pub(super) struct BoundedLines<R> {
    inner: R,
    line: usize,
    verdict: Arc<OnceLock<String>>,
}

impl<R> BoundedLines<R> {
    pub(super) fn new(inner: R, verdict: Arc<OnceLock<String>>) -> Self {
        Self { inner, line: 0, verdict }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        let fresh = buffer.filled().get(before..).unwrap_or_default();
        for piece in fresh.split_inclusive(|byte| *byte == b'\n') {
            self.line += piece.len();
            if self.line > MESSAGE_BYTES {
                let verdict = format!("was stopped: it sent a message of more than {MESSAGE_BYTES} bytes");
                return Poll::Ready(Err(io::Error::other(self.verdict.get_or_init(|| verdict).clone())));
            }
            if piece.ends_with(b"\n") {
                self.line = 0;
            }
        }
        read
    }
}
