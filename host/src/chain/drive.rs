//! Runs the inner part of a layer so that a wake-up costs the same at any depth.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures::future::BoxFuture;
use tokio::task::JoinHandle;

use crate::error::Error;

/// The inner parts of one hook call that run one inside the other. A started run begins a branch of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch(Arc<AtomicUsize>);

impl Branch {
    /// Whether an inner part waits on a task of its own: then what is around it waits for that task alone.
    fn waits_inside(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    fn spawned(&self) -> Spawned<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Spawned(self)
    }
}

/// Counts a task of a branch until it is done.
struct Spawned<'a>(&'a Branch);

impl Drop for Spawned<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs a future: in place until it waits by itself, then on a task of its own.
///
/// An inner part that is ready at once costs no task. One that waits would be woken through every layer around it, each
/// time; on its own task it is woken alone. The innermost part that waits gets that task, and those around it stay
/// where they are: until it is done, nothing wakes them.
pub(super) async fn drive<T: Send + 'static>(
    mut future: BoxFuture<'static, Result<T, Error>>,
    branch: &Branch,
) -> Result<T, Error> {
    let in_place = std::future::poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending if branch.waits_inside() => Poll::Pending,
        Poll::Pending => Poll::Ready(None),
    });
    if let Some(result) = in_place.await {
        return result;
    }
    let _spawned = branch.spawned();
    Task::spawn(future).await
}

/// A spawned future that is cancelled when it is dropped.
#[derive(Debug)]
pub(super) struct Task<T>(JoinHandle<Result<T, Error>>);

impl<T: Send + 'static> Task<T> {
    pub(super) fn spawn(future: BoxFuture<'static, Result<T, Error>>) -> Self {
        Self(tokio::spawn(future))
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|joined| match joined {
            Ok(result) => result,
            Err(error) if error.is_cancelled() => Err(Error::aborted()),
            Err(_) => Err(Error::internal("a task of the host panicked")),
        })
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
