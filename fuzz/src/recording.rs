//! Recordings that are damaged, or that tell a component what no host would.

use std::sync::LazyLock;
use std::time::Duration;

use cepa::sandbox::{Component, Recording};
use cepa_tests::chain::{load, sandbox};
use cepa_tests::guest;

use crate::runtime;

/// Reads the bytes as a recording, and replays it on a component that reads streams and sends them on.
pub(crate) fn replay(bytes: &[u8]) {
    static COMPONENT: LazyLock<Component> =
        LazyLock::new(|| runtime().block_on(load("observe", guest!("observe"))));
    let Ok(recording) = Recording::read(bytes) else { return };
    // A component may take as long as its limits allow, and these stand in the file.
    let limits = &recording.layer().limits;
    if limits.cpu > Duration::from_secs(1) || limits.wall > Duration::from_secs(60) {
        return;
    }
    let replayed = runtime().block_on(sandbox().replay(&COMPONENT, &recording, &mut |_| ()));
    if let Ok(Some(difference)) = replayed {
        assert!(difference.line() > 1, "a difference is told with its line: {difference}");
    }
}
