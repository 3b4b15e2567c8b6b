//! What a guest prints by the means of WASI. It is taken without end, and what the log has no room for is dropped.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

use super::budget::{Line, LogBudget};

/// Bytes that are taken at once.
const AT_ONCE: usize = 64 << 10;

/// How much of what was dropped last is kept to explain a fault.
const DROPPED_KEPT: usize = 1_000;

/// The standard output and the standard error of an instance. A full one would look to the guest like a broken pipe,
/// at which most languages give up; so it is never full.
#[derive(Clone, Debug)]
pub(super) struct GuestOutput {
    log: Arc<LogBudget>,
    printed: Arc<Mutex<Printed>>,
}

/// What was printed since the last look.
#[derive(Debug, Default)]
pub(super) struct Printed {
    /// What the log has room for.
    pub(super) text: Vec<u8>,
    /// Bytes of everything, with what was dropped.
    pub(super) bytes: u64,
    /// A word about the limit, if it was reached here.
    pub(super) word: Option<String>,
    /// The begin of what was dropped last: it may be the text of a panic.
    pub(super) dropped: Bytes,
}

impl GuestOutput {
    /// An output of which as much is kept as this log has room for.
    pub(super) fn new(log: Arc<LogBudget>) -> Self {
        Self { log, printed: Arc::default() }
    }

    /// Takes out what was printed since the last time.
    pub(super) fn take(&self) -> Printed {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Printed> {
        self.printed.lock()
    }
}

impl OutputStream for GuestOutput {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let mut printed = self.lock();
        let count = bytes.len() as u64;
        printed.bytes = printed.bytes.saturating_add(count);
        match self.log.take(count) {
            Line::Kept => {
                printed.text.extend_from_slice(&bytes);
                return Ok(());
            }
            Line::Last(word) => printed.word = Some(word),
            Line::Dropped => {}
        }
        printed.dropped = bytes.slice(..bytes.len().min(DROPPED_KEPT));
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(AT_ONCE)
    }
}

#[async_trait]
impl Pollable for GuestOutput {
    async fn ready(&mut self) {}
}

impl IsTerminal for GuestOutput {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for GuestOutput {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    /// Asked for by later generations of WASI alone, which no component gets.
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_taken_and_what_has_no_room_is_dropped_and_counted() {
        let log = Arc::new(LogBudget::new(10));
        let mut output = GuestOutput::new(Arc::clone(&log));
        let mut other = output.clone();
        for text in ["12345\n", "abc\n", "too much\n", "the sky fell\n"] {
            assert!(other.check_write().unwrap() >= text.len());
            output.write(Bytes::from_static(text.as_bytes())).unwrap();
        }
        let Printed { text, bytes, word, dropped } = other.take();
        assert_eq!((text.as_slice(), bytes), (b"12345\nabc\n".as_slice(), 32));
        assert!(word.unwrap().starts_with("limit `log` reached: 19 of 10 bytes allowed"));
        assert_eq!(dropped, "the sky fell\n");
        let Printed { text, bytes, word, .. } = output.take();
        assert_eq!((text.len(), bytes, word), (0, 0, None));
    }
}
