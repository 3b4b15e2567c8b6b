//! Why a file can't be used.

use std::io;

use super::path::PathProblem;
use crate::error::{Error, ErrorKind};

/// How much of a path an error repeats: guests may send megabytes.
const SHOWN_MAX: usize = 256;

/// What hinders the use of a file. Names the path as the guest wrote it, with the mount in front, and never a path of
/// the host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` {cause}")]
pub struct WorkspaceError {
    /// The path, cut short if it is very long.
    pub path: String,
    /// What is wrong with it.
    pub cause: Cause,
}

/// What is wrong with a path, said after it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The path can't be used.
    #[error("is no usable path: {0}")]
    Path(PathProblem),
    /// No such mount was granted.
    #[error("is below no granted mount")]
    NoMount,
    /// The mount is not to be changed.
    #[error("can't be changed: its mount is granted for reading only")]
    ReadOnly,
    /// A link leads somewhere else.
    #[error("leads out of its mount")]
    Escape,
    /// The file has another name, perhaps outside.
    #[error("can't be appended to: it has another name by a hard link, so it can only be written anew")]
    HardLink,
    /// Nothing is there.
    #[error("is not there")]
    NotFound,
    /// Something is there.
    #[error("is there already")]
    Exists,
    /// Something else is there.
    #[error("is no file")]
    NotAFile,
    /// Something else is there.
    #[error("is no folder, or one above it is none")]
    NotAFolder,
    /// A link, where something is to be changed.
    #[error("is a link, and nothing is written through a link")]
    Link,
    /// A folder with something in it.
    #[error("is not empty")]
    NotEmpty,
    /// A mount can't be changed by itself.
    #[error("is a mount itself, and can't be written, moved or removed")]
    MountItself,
    /// The target of a move is elsewhere.
    #[error("can't be moved to another mount")]
    OtherMount,
    /// The target of a move is below what is moved.
    #[error("can't be moved into itself")]
    IntoItself,
    /// More than can be read at once.
    #[error("has {size} bytes to read, and {allowed} can be read at once: read it in parts")]
    TooLarge {
        /// The bytes that there are.
        size: u64,
        /// How many are allowed.
        allowed: u64,
    },
    /// The mount is full.
    #[error("has no room: limit `{limit}` of its mount reached: {used} of {allowed} allowed")]
    Full {
        /// `workspace-bytes` or `workspace-files`.
        limit: &'static str,
        /// What there would be with it.
        used: u64,
        /// How much is allowed.
        allowed: u64,
    },
    /// The system refused.
    #[error("can't be used: {0}")]
    System(String),
}

impl WorkspaceError {
    pub(super) fn new(path: &str, cause: Cause) -> Self {
        let path = match path.get(..path.floor_char_boundary(SHOWN_MAX)) {
            Some(start) if start.len() < path.len() => format!("{start}…"),
            _ => path.to_owned(),
        };
        Self { path, cause }
    }

    /// Whether the guest asked for what it was not granted.
    pub fn is_denial(&self) -> bool {
        matches!(self.cause, Cause::NoMount | Cause::ReadOnly | Cause::Escape | Cause::HardLink)
    }
}

impl From<io::Error> for Cause {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::NotADirectory => Self::NotAFolder,
            io::ErrorKind::IsADirectory => Self::NotAFile,
            io::ErrorKind::DirectoryNotEmpty => Self::NotEmpty,
            // What the system itself refuses has a number; this comes from `cap-std`.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Escape,
            // The system's words have no path in them.
            _ => Self::System(error.to_string()),
        }
    }
}

impl Cause {
    fn kind_and_code(&self) -> (ErrorKind, &'static str) {
        match self {
            Self::Path(_) => (ErrorKind::InvalidInput, "path"),
            Self::NoMount | Self::ReadOnly => (ErrorKind::Denied, "not-granted"),
            Self::Escape => (ErrorKind::Denied, "escape"),
            Self::HardLink => (ErrorKind::Denied, "hard-link"),
            Self::NotFound => (ErrorKind::NotFound, ""),
            Self::Exists => (ErrorKind::InvalidInput, "exists"),
            Self::NotAFile => (ErrorKind::InvalidInput, "not-a-file"),
            Self::NotAFolder => (ErrorKind::InvalidInput, "not-a-folder"),
            Self::Link => (ErrorKind::InvalidInput, "link"),
            Self::NotEmpty => (ErrorKind::InvalidInput, "not-empty"),
            Self::MountItself => (ErrorKind::InvalidInput, "mount"),
            Self::OtherMount => (ErrorKind::InvalidInput, "other-mount"),
            Self::IntoItself => (ErrorKind::InvalidInput, "into-itself"),
            Self::TooLarge { .. } => (ErrorKind::Limit, "payload"),
            Self::Full { limit, .. } => (ErrorKind::Limit, limit),
            Self::System(_) => (ErrorKind::Other, "system"),
        }
    }
}

impl From<WorkspaceError> for Error {
    fn from(error: WorkspaceError) -> Self {
        let (kind, code) = error.cause.kind_and_code();
        Self::new(kind, error.to_string()).code(code)
    }
}
