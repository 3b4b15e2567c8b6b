//! Work in the host that a guest asks for and that may take long: files, documents, schemas. It is done on threads that
//! may wait, which the whole program shares, so it is bounded how many of them guests hold at once.
//!
//! A job can't be stopped once it runs. It counts until it ends, also when the guest that asked was stopped meanwhile:
//! a folder that does not answer holds a few threads, however many replies ask for it.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

/// Jobs of one layer at once, in all its replies.
const OF_LAYER: usize = 4;

/// Jobs of all layers at once: a small part of the threads that there may be.
const OF_ALL: usize = 64;

/// The jobs of all layers.
#[derive(Clone, Debug)]
pub(super) struct AllJobs(Arc<Semaphore>);

impl Default for AllJobs {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(OF_ALL)))
    }
}

impl AllJobs {
    /// The jobs of one more layer.
    pub(super) fn of_layer(&self) -> LayerJobs {
        LayerJobs { all: Arc::clone(&self.0), own: Arc::new(Semaphore::new(OF_LAYER)) }
    }
}

/// The jobs of one layer.
#[derive(Clone, Debug)]
pub(super) struct LayerJobs {
    all: Arc<Semaphore>,
    own: Arc<Semaphore>,
}

impl LayerJobs {
    /// Does this work once there is room for it.
    ///
    /// # Errors
    /// When the work panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // The layer's own room first: those who wait for it take nothing from other layers. Neither is ever closed, so
        // that both waits end in a permit.
        let own = Arc::clone(&self.own).acquire_owned().await;
        let all = Arc::clone(&self.all).acquire_owned().await;
        spawn_blocking(move || {
            let result = work();
            drop((own, all));
            result
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    /// Begins a job that ends when the sender is dropped, and that nobody waits for any more.
    async fn stuck(jobs: &LayerJobs) -> mpsc::Sender<()> {
        let (begun, has_begun) = oneshot::channel();
        let (end, ended) = mpsc::channel::<()>();
        let mut job = Box::pin(jobs.run(move || {
            begun.send(()).expect("somebody waits for the begin");
            ended.recv().expect_err("nothing is ever sent");
        }));
        assert!(job.as_mut().now_or_never().is_none());
        has_begun.await.expect("the job begins");
        end
    }

    #[tokio::test]
    async fn a_layer_that_is_stuck_holds_a_few_threads_and_no_other_layer() {
        let all = AllJobs::default();
        let (layer, other) = (all.of_layer(), all.of_layer());
        let mut ends = Vec::new();
        for _ in 0..OF_LAYER {
            ends.push(stuck(&layer).await);
        }
        let mut waiting = Box::pin(layer.run(|| 7));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert_eq!(other.run(|| 8).await.unwrap(), 8);
        assert_eq!(all.0.available_permits(), OF_ALL - OF_LAYER);
        drop(ends.pop());
        assert_eq!(waiting.await.unwrap(), 7);
        drop(ends);
        for _ in 0..OF_LAYER {
            layer.own.acquire().await.unwrap().forget();
        }
    }

    #[tokio::test]
    async fn a_job_that_panics_gives_its_place_back() {
        let all = AllJobs::default();
        let layer = all.of_layer();
        for _ in 0..=OF_LAYER {
            layer.run::<()>(|| panic!("broken")).await.unwrap_err();
        }
        assert_eq!(all.0.available_permits(), OF_ALL);
    }
}
