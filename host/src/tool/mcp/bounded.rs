//! The standard output of a server, with a bound on each line: one line is one message.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

use super::MESSAGE_BYTES;

/// How deep a message may be nested: its reader does not go further.
const DEPTH_MAX: usize = 128;

/// Fails when a line grows too long or too deep, and says so in `verdict`.
///
/// The transport above would drop such a line and go on, so that the caller waits in vain for its answer.
pub(super) struct BoundedLines<R> {
    inner: R,
    line: Line,
    verdict: Arc<OnceLock<String>>,
}

/// A line of JSON, as far as it was read.
#[derive(Debug, Default)]
struct Line {
    bytes: usize,
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Line {
    /// Takes a byte, and gives what is wrong with the line from then on.
    fn take(&mut self, byte: u8) -> Option<String> {
        if byte == b'\n' {
            *self = Self::default();
            return None;
        }
        self.bytes += 1;
        match byte {
            _ if std::mem::take(&mut self.escaped) => {}
            b'\\' if self.in_text => self.escaped = true,
            b'"' => self.in_text = !self.in_text,
            b'{' | b'[' if !self.in_text => self.depth += 1,
            b'}' | b']' if !self.in_text => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.bytes > MESSAGE_BYTES {
            return Some(format!("a message of more than {MESSAGE_BYTES} bytes"));
        }
        (self.depth > DEPTH_MAX).then(|| format!("a message nested deeper than {DEPTH_MAX}"))
    }
}

impl<R> BoundedLines<R> {
    pub(super) fn new(inner: R, verdict: Arc<OnceLock<String>>) -> Self {
        Self { inner, line: Line::default(), verdict }
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
        for byte in fresh {
            if let Some(fault) = self.line.take(*byte) {
                let verdict = self.verdict.get_or_init(|| format!("was stopped: it sent {fault}"));
                return Poll::Ready(Err(io::Error::other(verdict.clone())));
            }
        }
        read
    }
}
