//! Log lines of a layer during one reply.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a layer may still log. All its instances share it.
#[derive(Debug)]
pub(in crate::sandbox) struct LogBudget {
    allowed: u64,
    used: AtomicU64,
}

/// What becomes of a line.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::sandbox) enum Line {
    /// It is written.
    Kept,
    /// It is the first that does not fit: this stands in its place.
    Last(String),
    /// Nothing is said any more.
    Dropped,
}

impl LogBudget {
    pub(in crate::sandbox) fn new(allowed: u64) -> Self {
        Self { allowed, used: AtomicU64::new(0) }
    }

    /// Takes a line of so many bytes, its end included.
    pub(in crate::sandbox) fn take(&self, bytes: u64) -> Line {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        let used = before.saturating_add(bytes);
        if used <= self.allowed {
            Line::Kept
        } else if before <= self.allowed {
            let allowed = self.allowed;
            Line::Last(format!(
                "limit `log` reached: {used} of {allowed} bytes allowed; further lines of this reply are dropped"
            ))
        } else {
            Line::Dropped
        }
    }
}
