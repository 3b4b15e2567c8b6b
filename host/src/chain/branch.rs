//! Keeps the parts of a hook call that wait beside each other, so that a wake-up costs the same at any depth.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use futures::task::AtomicWaker;
use parking_lot::{Mutex, MutexGuard};

/// The parts of one hook call that run one inside the other. A started run begins a branch of its own.
///
/// A part that waits is lifted out of those around it, and [`Branch::run`] polls it beside them, in the same task.
/// They wait for its result alone, so that what wakes the part wakes nobody else.
#[derive(Clone, Default)]
pub(super) struct Branch(Arc<Mutex<Lifted>>);

#[derive(Default)]
struct Lifted {
    /// The places of the parts that are lifted and not done.
    places: Vec<usize>,
    /// Parts that nobody polls yet.
    fresh: Vec<BoxFuture<'static, ()>>,
    /// Whether nobody polls the branch any more.
    over: bool,
    /// How to tell whoever polls the branch of fresh ones, unless he is about to look for them.
    waker: Option<Waker>,
}

impl Branch {
    /// Runs a whole, and the parts that are lifted out of it on this branch.
    pub(super) async fn run<T>(self, mut whole: BoxFuture<'static, T>) -> T {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut parts = FuturesUnordered::new();
        let over = OverOnDrop(self.clone());
        let result = std::future::poll_fn(move |cx| {
            woken.outer.register(cx.waker());
            self.lock().waker = None;
            loop {
                while let Poll::Ready(Some(())) = parts.poll_next_unpin(cx) {}
                if woken.take()
                    && let Poll::Ready(result) = whole.as_mut().poll(&mut Context::from_waker(&waker))
                {
                    return Poll::Ready(result);
                }
                let fresh = self.fresh(cx);
                if fresh.is_empty() {
                    return Poll::Pending;
                }
                parts.extend(fresh);
            }
        })
        .await;
        drop(over);
        result
    }

    /// Lifts the part at a place, until what it gives is dropped.
    pub(super) fn lift(&self, place: usize, part: BoxFuture<'static, ()>) -> Place<'_> {
        let mut lifted = self.lock();
        lifted.places.push(place);
        if !lifted.over {
            lifted.fresh.push(part);
        }
        // A layer may have taken its run to a task of its own.
        if let Some(waker) = lifted.waker.take() {
            waker.wake();
        }
        Place { branch: self, place }
    }

    /// Whether a part further in is lifted: then what is around it waits for that part alone.
    pub(super) fn waits_inside(&self, place: usize) -> bool {
        self.lock().places.iter().any(|lifted| *lifted > place)
    }

    fn fresh(&self, cx: &Context<'_>) -> Vec<BoxFuture<'static, ()>> {
        let mut lifted = self.lock();
        if lifted.fresh.is_empty() {
            lifted.waker = Some(cx.waker().clone());
        }
        std::mem::take(&mut lifted.fresh)
    }

    fn lock(&self) -> MutexGuard<'_, Lifted> {
        self.0.lock()
    }
}

/// Lets go of what was lifted and never polled: such a part holds the branch, as the branch holds it.
struct OverOnDrop(Branch);

impl Drop for OverOnDrop {
    fn drop(&mut self) {
        let fresh = {
            let mut lifted = self.0.lock();
            lifted.over = true;
            std::mem::take(&mut lifted.fresh)
        };
        // A part that ends may give its own place free, which takes the lock.
        drop(fresh);
    }
}

/// A lifted part's place on its branch.
pub(super) struct Place<'a> {
    branch: &'a Branch,
    place: usize,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.branch.lock().places.retain(|place| *place != self.place);
    }
}

/// Remembers whether the whole was woken, or only a part.
struct Woken {
    whole: AtomicBool,
    outer: AtomicWaker,
}

impl Default for Woken {
    fn default() -> Self {
        Self { whole: AtomicBool::new(true), outer: AtomicWaker::new() }
    }
}

impl Woken {
    fn take(&self) -> bool {
        self.whole.swap(false, Ordering::AcqRel)
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.whole.store(true, Ordering::Release);
        self.outer.wake();
    }
}
