//! The seam to time and chance, so that tests can replace them.

use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures::future::BoxFuture;

/// Time and chance as the host sees them.
pub trait World: Send + Sync + fmt::Debug {
    /// Milliseconds since 1970-01-01 UTC.
    fn now_ms(&self) -> u64;
    /// Time since a fixed moment of this run; never goes back.
    fn monotonic(&self) -> Duration;
    /// Waits.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
    /// Fills a buffer with random bytes from a secure source.
    fn random(&self, buffer: &mut [u8]);

    /// A fresh id, sorted by time.
    fn id(&self) -> String {
        let mut chance = [0; 10];
        self.random(&mut chance);
        uuid::Builder::from_unix_timestamp_millis(self.now_ms(), &chance).into_uuid().to_string()
    }
}

/// The real world.
#[derive(Debug)]
pub struct RealWorld {
    start: Instant,
}

impl Default for RealWorld {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl World for RealWorld {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn random(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(16) {
            let fresh = uuid::Uuid::new_v4().into_bytes();
            chunk.copy_from_slice(&fresh[..chunk.len()]);
        }
    }
}

/// A world for tests: time moves only by sleeping, and chance is a sequence fixed by a seed.
#[derive(Debug)]
pub struct TestWorld {
    state: parking_lot::Mutex<TestState>,
}

#[derive(Debug)]
struct TestState {
    now: Duration,
    seed: u64,
    slept: Vec<Duration>,
}

impl TestWorld {
    /// A world whose time starts at 2026-01-01 and whose chance follows from `seed`.
    pub fn new(seed: u64) -> Self {
        Self {
            state: parking_lot::Mutex::new(TestState {
                now: Duration::ZERO,
                seed: seed | 1,
                slept: Vec::new(),
            }),
        }
    }

    /// Every wait so far, in order.
    pub fn slept(&self) -> Vec<Duration> {
        self.lock().slept.clone()
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, TestState> {
        self.state.lock()
    }
}

/// 2026-01-01T00:00:00Z.
const TEST_EPOCH_MS: u64 = 1_767_225_600_000;

impl World for TestWorld {
    fn now_ms(&self) -> u64 {
        TEST_EPOCH_MS + u64::try_from(self.lock().now.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic(&self) -> Duration {
        self.lock().now
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let mut state = self.lock();
        state.now += duration;
        state.slept.push(duration);
        Box::pin(tokio::task::yield_now())
    }

    fn random(&self, buffer: &mut [u8]) {
        let mut state = self.lock();
        for byte in buffer {
            // xorshift64: enough to be different, and the same in each run.
            state.seed ^= state.seed << 13;
            state.seed ^= state.seed >> 7;
            state.seed ^= state.seed << 17;
            *byte = state.seed.to_le_bytes()[3];
        }
    }
}
