//! The thread that holds the connection.

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::super::StoreError;
use super::open::SessionFile;

type Job = Box<dyn FnOnce(&mut SessionFile) + Send>;

/// Runs jobs on the session file, one after another.
#[derive(Debug)]
pub(super) struct Worker {
    path: PathBuf,
    /// Absent only while the worker is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Opens the file on a thread of its own.
    pub(super) async fn start(path: PathBuf) -> Result<Self, StoreError> {
        let (jobs, todo) = mpsc::channel::<Job>();
        let (opened, result) = oneshot::channel();
        let file = path.clone();
        let thread = std::thread::Builder::new()
            .name("cepa-sessions".to_owned())
            .spawn(move || match SessionFile::open(file) {
                Ok(mut file) => {
                    // A caller that no longer waits has also dropped the channel of jobs.
                    let _ = opened.send(Ok(()));
                    for job in todo {
                        job(&mut file);
                    }
                }
                Err(error) => {
                    let _ = opened.send(Err(error));
                }
            })
            .map_err(|error| StoreError::Io { path: path.display().to_string(), cause: error.to_string() })?;
        let worker = Self { path, jobs: Some(jobs), thread: Some(thread) };
        result.await.map_err(|_| worker.gone())??;
        Ok(worker)
    }

    /// Runs a job and waits for what it gives. A job once begun is finished even when nobody waits any more.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut SessionFile) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (done, result) = oneshot::channel();
        let job: Job = Box::new(move |file| {
            let _ = done.send(job(file));
        });
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        if !sent {
            return Err(self.gone());
        }
        result.await.map_err(|_| self.gone())?
    }

    fn gone(&self) -> StoreError {
        StoreError::Io {
            path: self.path.display().to_string(),
            cause: "the thread that keeps sessions has ended".to_owned(),
        }
    }
}

impl Drop for Worker {
    /// Waits until the file is closed, so that it is whole without its log when the process ends.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic there was reported when it happened; the jobs after it had their error.
            let _ = thread.join();
        }
    }
}
