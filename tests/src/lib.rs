//! What the tests share: the guests, built from `tests/guests/` by the build script.

pub mod agent;
pub mod built;
pub mod chain;
pub mod memory;
pub mod onion;
pub mod program;
pub mod recording;
pub mod transform;

use std::future::Future;
use std::time::Duration;

/// How long a test waits for what takes milliseconds on an idle machine.
const STAND_STILL: Duration = Duration::from_secs(180);

/// Waits for what a test waits for: one that stands still fails by its name, instead of holding up all others.
///
/// # Panics
/// After three minutes.
pub async fn in_time<T>(future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(STAND_STILL, future).await;
    waited.unwrap_or_else(|_| panic!("nothing came for {STAND_STILL:?}: somebody waits for what never comes"))
}

include!(concat!(env!("OUT_DIR"), "/guests.rs"));

/// The component of a guest, by the name of its folder. A guest that isn't there fails the build of the test.
#[macro_export]
macro_rules! guest {
    ($name:literal) => {{
        const INDEX: usize = $crate::index_of($name);
        $crate::GUESTS[INDEX].1
    }};
}

/// Where a guest is in [`GUESTS`].
///
/// # Panics
/// When there is no such guest; at compile time where [`guest!`] calls it.
#[must_use]
pub const fn index_of(name: &str) -> usize {
    let mut index = 0;
    while index < GUESTS.len() {
        if same(GUESTS[index].0.as_bytes(), name.as_bytes()) {
            return index;
        }
        index += 1;
    }
    panic!("no such guest in tests/guests")
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}
