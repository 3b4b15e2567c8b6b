//! Why a recording can't be used.

use std::path::PathBuf;

/// Why a recording can't be read or replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file can't be read.
    #[error("the recording `{path}` can't be read: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// It is something else.
    #[error("this is no recording of Cepa: line 1: {cause}")]
    Foreign {
        /// What is wrong with the first line.
        cause: String,
    },
    /// It was written by another version.
    #[error("the recording has the {what} `{recorded}`, and this program reads `{offered}`")]
    Version {
        /// `format` or `contract`.
        what: &'static str,
        /// What it has.
        recorded: String,
        /// What is offered.
        offered: String,
    },
    /// A line does not fit.
    #[error("the recording is damaged: line {line}: {cause}")]
    Damaged {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        cause: String,
    },
    /// It has more bytes than any that Cepa writes.
    #[error("the recording has more than the {bytes_max} bytes that are read")]
    Large {
        /// How many are read.
        bytes_max: u64,
    },
    /// The recorded layer can't be made again.
    #[error("the layer `{layer}` can't be made as it was recorded: {cause}")]
    Layer {
        /// Its name.
        layer: String,
        /// Why.
        cause: String,
    },
}

/// What is wrong with JSON of one line, whose number is told beside it.
pub(super) fn json_cause(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line 1 column ") {
        Some((cause, "0")) => cause.to_owned(),
        Some((cause, column)) => format!("{cause} at column {column}"),
        None => text,
    }
}
