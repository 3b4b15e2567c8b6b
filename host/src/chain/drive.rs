//! Runs the inner part of a layer.

use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures::FutureExt as _;
use futures::future::{AbortHandle, BoxFuture, abortable};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::error::Error;

use super::branch::Branch;

/// Runs the future at a place of a branch: where it stands until it waits by itself, then lifted out of those around it.
///
/// An inner part that is ready at once costs nothing more. One that waits would be woken through every layer around it,
/// each time; lifted out it is woken alone. The innermost part that waits is the one that is lifted.
pub(super) async fn drive<T: Send + 'static>(
    mut future: BoxFuture<'static, Result<T, Error>>,
    branch: &Branch,
    place: usize,
) -> Result<T, Error> {
    let where_it_stands = std::future::poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending if branch.waits_inside(place) => Poll::Pending,
        Poll::Pending => Poll::Ready(None),
    });
    if let Some(result) = where_it_stands.await {
        return result;
    }
    let (done, result) = oneshot::channel();
    let (part, abort) = abortable(async move {
        let result = AssertUnwindSafe(future).catch_unwind().await;
        // Nobody waits any more if the layer has given the run up.
        let _ = done.send(result.unwrap_or_else(|_| Err(panicked())));
    });
    let _place = branch.lift(place, part.map(drop).boxed());
    let _abort = AbortOnDrop(abort);
    // The part is dropped unfinished only with the whole branch.
    result.await.unwrap_or_else(|_| Err(Error::aborted()))
}

fn panicked() -> Error {
    Error::internal("a part of the host panicked")
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

tokio::task_local! {
    /// Held by the task that runs, and by every task that was started in it.
    static ALIVE: Alive;
}

/// Shows that a task, or one inside it, has not ended: held, and never read.
#[derive(Clone)]
struct Alive {
    _own: mpsc::Sender<Infallible>,
    _around: Option<Arc<Alive>>,
}

/// A spawned future that is cancelled when it is dropped.
#[derive(Debug)]
pub(super) struct Task<T>(JoinHandle<Result<T, Error>>);

impl<T: Send + 'static> Task<T> {
    /// Spawns a future. It can be ended from elsewhere as well.
    pub(super) fn spawn(future: impl Future<Output = Result<T, Error>> + Send + 'static) -> (Self, Ending) {
        let (own, gone) = mpsc::channel(1);
        let around = ALIVE.try_with(|around| Arc::new(around.clone())).ok();
        let task = tokio::spawn(ALIVE.scope(Alive { _own: own, _around: around }, future));
        let ending = Ending { abort: task.abort_handle(), gone };
        (Self(task), ending)
    }
}

/// A way to end a task.
#[derive(Debug)]
pub(super) struct Ending {
    abort: tokio::task::AbortHandle,
    gone: mpsc::Receiver<Infallible>,
}

impl Ending {
    /// Ends the task, and waits until nothing of it runs any more.
    pub(super) async fn end(mut self) {
        self.abort.abort();
        // Nothing is ever sent: this waits for the last holder to be gone.
        let _ = self.gone.recv().await;
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|joined| match joined {
            Ok(result) => result,
            Err(error) if error.is_cancelled() => Err(Error::aborted()),
            Err(_) => Err(panicked()),
        })
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
