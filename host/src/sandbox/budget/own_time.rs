//! Own time of a hook call: what is inside, and waiting for those outside, does not count.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Sleep;

use super::limit_hit::LimitHit;

/// The clock of the running hook call. Its clones show the same.
#[derive(Clone, Debug)]
pub(in crate::sandbox) struct OwnTime(Arc<Mutex<Clock>>);

#[derive(Debug)]
struct Clock {
    start: Instant,
    outside: Duration,
    left: Option<Instant>,
}

impl Default for OwnTime {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Clock { start: Instant::now(), outside: Duration::ZERO, left: None })))
    }
}

impl OwnTime {
    /// A new hook call begins.
    pub(super) fn begin(&self) {
        *self.lock() = Clock { start: Instant::now(), outside: Duration::ZERO, left: None };
    }

    /// From now on somebody else is busy.
    pub(super) fn leave(&self) {
        self.lock().left = Some(Instant::now());
    }

    /// The layer is busy again.
    pub(super) fn resume(&self) {
        let mut clock = self.lock();
        if let Some(left) = clock.left.take() {
            clock.outside += left.elapsed();
        }
    }

    /// Whether somebody else is busy now.
    fn is_away(&self) -> bool {
        self.lock().left.is_some()
    }

    /// How long the layer itself was busy.
    pub(super) fn spent(&self) -> Duration {
        let clock = self.lock();
        let away = clock.outside + clock.left.map(|left| left.elapsed()).unwrap_or_default();
        clock.start.elapsed().saturating_sub(away)
    }

    fn lock(&self) -> MutexGuard<'_, Clock> {
        self.0.lock()
    }
}

/// Waits for a call into a guest, as long as the layer itself is not busy longer than its limit allows.
pub(in crate::sandbox) async fn within<T>(
    own_time: OwnTime,
    allowed: Duration,
    call: impl Future<Output = T>,
) -> Result<T, LimitHit> {
    let mut call = pin!(call);
    // Set only while the layer itself waits: what is inside may take as long as it likes, and needs no timer.
    let mut alarm: Option<Pin<Box<Sleep>>> = None;
    std::future::poll_fn(|cx| {
        if let Poll::Ready(result) = call.as_mut().poll(cx) {
            return Poll::Ready(Ok(result));
        }
        alarm = None;
        while !own_time.is_away() {
            let spent = own_time.spent();
            let Some(left) = allowed.checked_sub(spent).filter(|left| !left.is_zero()) else {
                return Poll::Ready(Err(LimitHit {
                    limit: "wall",
                    allowed: format!("{} ms", allowed.as_millis()),
                    used: format!("{} ms", spent.as_millis()),
                }));
            };
            if alarm.insert(Box::pin(tokio::time::sleep(left))).as_mut().poll(cx).is_pending() {
                break;
            }
        }
        Poll::Pending
    })
    .await
}
