//! Runs the inner part of a layer so that a wake-up costs the same at any depth.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

use futures::future::BoxFuture;
use tokio::task::JoinHandle;

use crate::error::Error;

/// Runs a future: its first poll in place, the rest on a task of its own.
///
/// An inner part that is ready at once costs no task. One that waits would otherwise be woken through every layer
/// around it, each time; on its own task it is woken alone.
pub(super) async fn drive<T: Send + 'static>(
    mut future: BoxFuture<'static, Result<T, Error>>,
) -> Result<T, Error> {
    let first = std::future::poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await;
    match first {
        Poll::Ready(result) => result,
        Poll::Pending => Task::spawn(future).await,
    }
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
