//! Listens on a Unix socket that only its owner may use.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

use crate::lock::Lock;

use super::check_path;
use super::controller::Controller;
use super::protocol::{Answer, Reason, Refusal, Request};

/// The longest request, in bytes: a few names and a path.
const REQUEST_MAX: u64 = 64 << 10;

/// How long a request may take to arrive. Who connects has it ready.
const REQUEST_TIME: Duration = Duration::from_secs(10);

/// How long a caller may take to read a line of the answer. It waits for it.
const ANSWER_TIME: Duration = Duration::from_secs(10);

/// How many callers are served at once; others wait. So many that those who say nothing keep nobody waiting.
const CALLERS_MAX: usize = 64;

/// Why a host can't listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// Another program does.
    #[error("another program listens at `{0}`")]
    Taken(PathBuf),
    /// The path is that of something else.
    #[error("`{0}` is no socket, so no host can listen there")]
    NoSocket(PathBuf),
    /// The system refuses.
    #[error("no host can listen at `{path}`: {cause}")]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
}

/// A host that listens. The socket goes with it.
#[derive(Debug)]
pub struct Listener {
    path: PathBuf,
    task: JoinHandle<()>,
    /// Beside the socket, so that of two hosts that begin at once one gets it. Given free last.
    _lock: Lock,
}

impl Listener {
    /// Listens at this path, with mode 0600; a socket that a dead host left there is replaced. To be called within a
    /// runtime.
    ///
    /// # Errors
    /// When another host listens there, the path is no socket's, or the system refuses.
    pub fn start(path: &Path, controller: Controller) -> Result<Self, ListenError> {
        let failed = |cause: io::Error| ListenError::Io { path: path.to_owned(), cause };
        check_path(path).map_err(failed)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut beside = path.as_os_str().to_owned();
        beside.push(".lock");
        let lock = Lock::take(beside.into()).map_err(failed)?;
        let lock = lock.ok_or_else(|| ListenError::Taken(path.to_owned()))?;
        clear(path)?;
        let socket = UnixListener::bind(path).map_err(failed)?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
        let owner = std::fs::metadata(path).map_err(failed)?.uid();
        let task = tokio::spawn(listen(socket, owner, controller));
        Ok(Self { path: path.to_owned(), task, _lock: lock })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
        // It may be gone already.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Removes a socket that nobody listens at any more. Who listens need not be a host.
fn clear(path: &Path) -> Result<(), ListenError> {
    let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(ListenError::NoSocket(path.to_owned()));
    }
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Err(ListenError::Taken(path.to_owned()));
    }
    std::fs::remove_file(path).map_err(|cause| ListenError::Io { path: path.to_owned(), cause })
}

async fn listen(socket: UnixListener, owner: u32, controller: Controller) {
    let callers = Arc::new(Semaphore::new(CALLERS_MAX));
    loop {
        // The semaphore is never closed.
        let Ok(place) = Arc::clone(&callers).acquire_owned().await else { return };
        match socket.accept().await {
            Ok((stream, _)) if may_call(&stream, owner) => {
                let controller = controller.clone();
                tokio::spawn(async move {
                    serve(stream, &controller).await;
                    drop(place);
                });
            }
            Ok(_) => tracing::warn!("a caller of another user was turned away from the control socket"),
            Err(error) => {
                tracing::warn!("the control socket can't take a caller: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Whether the other end belongs to the owner of the socket, or to root. The file's mode says the same; this holds in
/// the moment before the mode is set, too.
fn may_call(stream: &UnixStream, owner: u32) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == owner || peer.uid() == 0)
}

/// Reads one request, and answers it.
async fn serve(stream: UnixStream, controller: &Controller) {
    let (from, mut to) = stream.into_split();
    let request = match tokio::time::timeout(REQUEST_TIME, read(from)).await {
        Ok(request) => request,
        Err(_) => Err(format!("the request did not arrive within {} s", REQUEST_TIME.as_secs())),
    };
    let answer = match request {
        Err(cause) => Answer::Refused(Refusal::new(Reason::Request, cause)),
        Ok(Request::Status {}) => Answer::Status(controller.status()),
        Ok(Request::Swap(request)) => {
            let (said, mut heard) = mpsc::unbounded_channel();
            let controller = controller.clone();
            // On a task of its own: a caller that goes away does not stop a swap half-way.
            let swap = tokio::spawn(async move {
                let progress = move |text: &str| drop(said.send(text.to_owned()));
                controller.swap(request, &progress).await
            });
            while let Some(text) = heard.recv().await {
                if write(&mut to, &Answer::Progress { text }).await.is_err() {
                    break;
                }
            }
            swap.await.unwrap_or_else(|error| {
                Answer::Refused(Refusal::new(Reason::Internal, format!("the swap broke off: {error}")))
            })
        }
    };
    // Who has gone away is not told.
    let _ = write(&mut to, &answer).await;
}

async fn read(from: OwnedReadHalf) -> Result<Request, String> {
    let mut line = Vec::new();
    let mut from = BufReader::new(from.take(REQUEST_MAX));
    from.read_until(b'\n', &mut line).await.map_err(|error| format!("the request can't be read: {error}"))?;
    if line.len() as u64 >= REQUEST_MAX {
        return Err(format!("the request is larger than the {REQUEST_MAX} bytes allowed"));
    }
    serde_json::from_slice(&line).map_err(|error| format!("this is no request: {error}"))
}

async fn write(to: &mut OwnedWriteHalf, answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    tokio::time::timeout(ANSWER_TIME, to.write_all(&line)).await?
}
