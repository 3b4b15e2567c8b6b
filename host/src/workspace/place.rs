//! A path of a guest, resolved as far as its mount.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;

use super::Mount;
use super::error::{Cause, WorkspaceError};

/// A place in a mount.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) mount: &'a Mount,
    /// The path below the mount; empty for the mount itself.
    pub(super) below: &'a str,
    /// The whole path, as the guest wrote it.
    pub(super) written: &'a str,
}

impl<'a> Place<'a> {
    pub(super) fn error(&self, cause: impl Into<Cause>) -> WorkspaceError {
        WorkspaceError::new(self.written, cause.into())
    }

    /// What the system said, at this place.
    pub(super) fn explained<T>(&self, result: io::Result<T>) -> Result<T, WorkspaceError> {
        result.map_err(|error| self.error(error))
    }

    pub(super) fn root(&self) -> &'a Dir {
        &self.mount.folder.dir
    }

    /// The path from the mount's folder.
    pub(super) fn path(&self) -> &'a Path {
        Path::new(if self.below.is_empty() { "." } else { self.below })
    }

    /// The last name of the path.
    pub(super) fn name(&self) -> &'a str {
        self.written.rsplit('/').next().unwrap_or(self.written)
    }

    /// The folder around the place, opened. What is done in it by a single name stays in it, whatever becomes of the
    /// path meanwhile.
    pub(super) fn parent(&self) -> Result<Dir, WorkspaceError> {
        let parent = self.below.rsplit_once('/').map_or(".", |(parent, _)| parent);
        self.explained(self.root().open_dir(parent))
    }
}
