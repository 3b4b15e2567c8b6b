//! Runs what others wrote on a task of its own, so that a panic there is an error here.

use std::future::Future;

use tokio::task::JoinHandle;

use crate::error::Error;

/// Runs a future to its end. Dropping this cancels it.
///
/// # Errors
/// The future's own; `internal`, naming `what`, when it panicked.
pub(super) async fn guarded<T: Send + 'static>(
    what: &str,
    future: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    let mut task = Cancelling(tokio::spawn(future));
    match (&mut task.0).await {
        Ok(result) => result,
        Err(error) if error.is_cancelled() => Err(Error::aborted()),
        Err(_) => Err(Error::internal(format!("{what} panicked"))),
    }
}

struct Cancelling<T>(JoinHandle<T>);

impl<T> Drop for Cancelling<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
