//! How long a layer may go on once its reply was aborted.

use std::future::Future;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Time to let go of what a layer holds back, and too little to keep a person waiting.
const GRACE: Duration = Duration::from_millis(250);

/// Waits for a layer that is still called after an abort, to let it end in good order. `None` when it does not.
///
/// The time is that of the runtime and not of the reply's world: it bounds a layer, and a world of tests has no time
/// in which a layer could hang.
pub(super) async fn unless_overdue<T>(
    cancel: &CancellationToken,
    call: impl Future<Output = T>,
) -> Option<T> {
    let overdue = async {
        cancel.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        biased;
        value = call => Some(value),
        () = overdue => None,
    }
}
