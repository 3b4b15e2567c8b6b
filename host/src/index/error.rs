//! Why documents can't be stored or found.

use std::path::PathBuf;

use crate::error::{Error, ErrorKind};

/// Why an index could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A value can't be used.
    #[error("{0}")]
    Invalid(String),
    /// A limit was reached.
    #[error("limit `{limit}` reached: {used} bytes of {allowed} bytes allowed")]
    Limit {
        /// Its name.
        limit: &'static str,
        /// How much is allowed.
        allowed: u64,
        /// How much there would be.
        used: u64,
    },
    /// The file failed. Names no path.
    #[error("the index could not be read or written: {0}")]
    File(String),
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error.to_string())
    }
}

impl From<OpenError> for IndexError {
    fn from(error: OpenError) -> Self {
        // Layers see this error, and the path of a file is not theirs to know.
        tracing::warn!("{error}");
        Self::File("its file can't be opened".to_owned())
    }
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        let (kind, code) = match &error {
            IndexError::Invalid(_) => (ErrorKind::InvalidInput, ""),
            IndexError::Limit { limit, .. } => (ErrorKind::Limit, *limit),
            IndexError::File(_) => (ErrorKind::Internal, ""),
        };
        Self::new(kind, error.to_string()).code(code)
    }
}

/// Why an index file can't be opened. For the operator: it names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It is not ours, or is broken.
    #[error("`{path}` is no index of Cepa, or is damaged: {cause}")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was found.
        cause: String,
    },
    /// A later version wrote it.
    #[error("`{path}` has format {found}, and this version reads up to {known}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest known.
        known: u32,
    },
    /// The system refused.
    #[error("`{path}` can't be used: {cause}")]
    System {
        /// The file.
        path: PathBuf,
        /// What it said.
        cause: String,
    },
}
