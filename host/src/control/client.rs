//! Calls a running host.

use std::io;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use super::check_path;
use super::protocol::{Answer, Request};

/// The longest line of an answer, in bytes.
const ANSWER_MAX: u64 = 16 << 20;

/// Why a running host could not be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// Nobody listens.
    #[error("no running host listens at `{path}`: {cause}")]
    Unreachable {
        /// The path.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// It went away, or said what can't be understood.
    #[error("the host gave no answer: {0}")]
    NoAnswer(String),
}

/// Asks the host at this path, tells its progress, and gives its answer.
///
/// # Errors
/// When there is no host, or no answer.
pub async fn call(
    path: &Path,
    request: &Request,
    progress: impl Fn(&str) + Send,
) -> Result<Answer, CallError> {
    let unreachable = |cause: io::Error| CallError::Unreachable { path: path.to_owned(), cause };
    check_path(path).map_err(unreachable)?;
    let mut stream = UnixStream::connect(path).await.map_err(unreachable)?;
    let no_answer = |cause: &dyn std::fmt::Display| CallError::NoAnswer(cause.to_string());
    let mut line = serde_json::to_vec(request).map_err(|error| no_answer(&error))?;
    line.push(b'\n');
    stream.write_all(&line).await.map_err(|error| no_answer(&error))?;
    let mut lines = BufReader::new(stream.take(ANSWER_MAX));
    loop {
        line.clear();
        lines.read_until(b'\n', &mut line).await.map_err(|error| no_answer(&error))?;
        if line.is_empty() {
            return Err(no_answer(&"it closed the connection"));
        }
        match serde_json::from_slice(&line).map_err(|error| no_answer(&error))? {
            Answer::Progress { text } => progress(&text),
            answer => return Ok(answer),
        }
    }
}
