//! The token bucket as one number: the moment at which it would be full again. Times are microseconds.

use crate::Config;

/// What a call gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Its turn comes after this wait, and the bucket is full again at `next_free` unless others come.
    Taken { wait_ms: u32, next_free: u64 },
    /// Its turn would come too late; nothing is taken.
    TooLate { wait_ms: u32 },
}

/// Takes a turn from the bucket that is full at `next_free`.
pub(crate) fn take(config: &Config, next_free: u64, now: u64) -> Turn {
    let interval = 60_000_000 / u64::from(config.requests_per_minute);
    let burst = interval.saturating_mul(u64::from(config.burst));
    let longest = u64::from(config.max_wait_ms).saturating_mul(1000);
    // No turn lies further ahead than this, unless the clock was set back.
    let horizon = now.saturating_add(burst).saturating_add(longest);
    let full = next_free.clamp(now, horizon);
    let wait = full.saturating_add(interval).saturating_sub(now.saturating_add(burst));
    let wait_ms = u32::try_from(wait.div_ceil(1000)).unwrap_or(u32::MAX);
    if wait > longest {
        return Turn::TooLate { wait_ms };
    }
    Turn::Taken { wait_ms, next_free: full.saturating_add(interval) }
}
