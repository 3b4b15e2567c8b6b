//! Runs the inner part of a layer.

use std::panic::AssertUnwindSafe;
use std::task::Poll;

use futures::FutureExt as _;
use futures::future::{AbortHandle, BoxFuture, abortable};
use tokio::sync::oneshot;

use crate::error::Error;

use super::branch::Branch;
use super::task::panicked;

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
        let _ = done.send(result.unwrap_or_else(|_| Err(panicked("a part of the host"))));
    });
    let _place = branch.lift(place, part.map(drop).boxed());
    let _abort = AbortOnDrop(abort);
    // The part is dropped unfinished only with the whole branch.
    result.await.unwrap_or_else(|_| Err(Error::aborted()))
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
