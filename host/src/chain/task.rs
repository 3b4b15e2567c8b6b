//! A part of a reply on a task of its own, which ends with whoever waits for it.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::Error;

tokio::task_local! {
    /// Held by the task that runs, and by every task that was started in it.
    static ALIVE: Alive;
    /// How many calls of layers the task stands inside of; unset where it is none.
    static NESTED: u32;
}

/// Shows that a task, or one inside it, has not ended: held, and never read.
#[derive(Clone)]
struct Alive {
    _own: mpsc::Sender<Infallible>,
    _around: Option<Arc<Alive>>,
}

/// A spawned future that is cancelled when it is dropped. A panic in it is an error here.
#[derive(Debug)]
pub(super) struct Task<T> {
    what: String,
    handle: JoinHandle<Result<T, Error>>,
}

impl<T: Send + 'static> Task<T> {
    /// Spawns a future, named for the error of a panic. It can be ended from elsewhere as well.
    pub(super) fn spawn(
        what: impl Into<String>,
        future: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> (Self, Ending) {
        let (own, gone) = mpsc::channel(1);
        let around = ALIVE.try_with(|around| Arc::new(around.clone())).ok();
        let future = ALIVE.scope(Alive { _own: own, _around: around }, future);
        let handle = tokio::spawn(NESTED.scope(nesting(), future));
        let ending = Ending { abort: handle.abort_handle(), gone };
        (Self { what: what.into(), handle }, ending)
    }
}

/// Runs what others wrote to its end, on a task of its own. Dropping this cancels it.
///
/// # Errors
/// The future's own; `internal`, naming `what`, when it panicked.
pub(crate) async fn guarded<T: Send + 'static>(
    what: &str,
    future: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    let (task, _) = Task::spawn(what, future);
    task.await
}

/// How many calls of layers stand around what runs here, one inside another. Each stands on a task of its own, since the
/// parts of a call may move about within their task.
pub(crate) fn nesting() -> u32 {
    NESTED.try_with(|depth| *depth).unwrap_or_default()
}

/// The same as [`guarded`] for a call of a layer: what runs in it is nested one deeper.
///
/// # Errors
/// As for [`guarded`].
pub(crate) async fn nested<T: Send + 'static>(
    what: &str,
    future: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    guarded(what, NESTED.scope(nesting() + 1, future)).await
}

/// Lets a future count as a part of the task that this is called in, whatever task it then runs on: whoever ends the one
/// waits for the other too, which is not cut off.
pub(crate) fn within<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let around = ALIVE.try_with(Alive::clone).ok();
    async move {
        match around {
            Some(alive) => ALIVE.scope(alive, future).await,
            None => future.await,
        }
    }
}

/// The error of a part that panicked.
pub(super) fn panicked(what: &str) -> Error {
    Error::internal(format!("{what} panicked"))
}

/// A way to end a task.
#[derive(Debug)]
pub(super) struct Ending {
    abort: tokio::task::AbortHandle,
    gone: mpsc::Receiver<Infallible>,
}

impl Ending {
    /// Ends the task, and waits until nothing of it runs any more: neither itself nor a task that was started in it.
    pub(super) async fn end(mut self) {
        self.abort.abort();
        // Nothing is ever sent: this waits for the last holder to be gone.
        let _ = self.gone.recv().await;
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.handle).poll(cx).map(|joined| match joined {
            Ok(result) => result,
            Err(error) if error.is_cancelled() => Err(Error::aborted()),
            Err(_) => Err(panicked(&self.what)),
        })
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.handle.abort();
    }
}
