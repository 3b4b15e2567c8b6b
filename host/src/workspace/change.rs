//! Changing files and folders. The folder is locked from the look at what is there to the count of what is then.

use std::io::{self, Write as _};

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, Metadata, OpenOptions, Permissions, PermissionsExt as _};
use cap_tempfile::TempFile;

use super::error::{Cause, WorkspaceError};
use super::place::Place;
use super::usage::Quota;

impl Place<'_> {
    pub(super) fn write(&self, content: &[u8], quota: Quota) -> Result<(), WorkspaceError> {
        let parent = self.parent()?;
        let mut usage = self.mount.folder.lock();
        let old = self.old_file(&parent)?;
        let (before, now) = (old.as_ref().map_or(0, Metadata::len), content.len() as u64);
        let room = usage.make_room(self.root(), quota, now.saturating_sub(before), u64::from(old.is_none()));
        room.map_err(|full| self.error(full))?;
        self.explained(replace(&parent, self.name(), content, old.as_ref()))?;
        if old.is_none() {
            usage.add_entry();
        }
        usage.resize(before, now);
        Ok(())
    }

    pub(super) fn append(&self, content: &[u8], quota: Quota) -> Result<(), WorkspaceError> {
        let parent = self.parent()?;
        let mut usage = self.mount.folder.lock();
        let old = self.old_file(&parent)?;
        let room = usage.make_room(self.root(), quota, content.len() as u64, u64::from(old.is_none()));
        room.map_err(|full| self.error(full))?;
        let mut options = OpenOptions::new();
        options.append(true).create_new(old.is_none()).follow(FollowSymlinks::No);
        let (mut file, metadata) = self.open(&mut options)?;
        if old.is_none() {
            usage.add_entry();
        }
        if metadata.nlink() > 1 {
            return Err(self.error(Cause::HardLink));
        }
        let written = file.write_all(content);
        // On a full disk a part of it may be there.
        let now = file.metadata().map_or(metadata.len(), |metadata| metadata.len());
        usage.resize(metadata.len(), now);
        self.explained(written)
    }

    pub(super) fn create_folder(&self, quota: Quota) -> Result<(), WorkspaceError> {
        let mut usage = self.mount.folder.lock();
        let ends = self.below.match_indices('/').map(|(end, _)| end).chain([self.below.len()]);
        for path in ends.filter_map(|end| self.below.get(..end)) {
            match self.root().metadata(path) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Err(self.error(Cause::NotAFolder)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    usage.make_room(self.root(), quota, 0, 1).map_err(|full| self.error(full))?;
                    self.explained(self.root().create_dir(path))?;
                    usage.add_entry();
                }
                Err(error) => return Err(self.error(error)),
            }
        }
        Ok(())
    }

    pub(super) fn remove(&self) -> Result<(), WorkspaceError> {
        let parent = self.parent()?;
        let mut usage = self.mount.folder.lock();
        let metadata = self.explained(parent.symlink_metadata(self.name()))?;
        let removed = if metadata.is_dir() {
            parent.remove_dir(self.name())
        } else {
            parent.remove_file_or_symlink(self.name())
        };
        self.explained(removed)?;
        usage.remove_entry(if metadata.is_file() { metadata.len() } else { 0 });
        Ok(())
    }

    pub(super) fn rename(&self, target: &Self) -> Result<(), WorkspaceError> {
        if self.mount.name != target.mount.name {
            return Err(self.error(Cause::OtherMount));
        }
        if target.below.strip_prefix(self.below).is_some_and(|rest| rest.starts_with('/')) {
            return Err(self.error(Cause::IntoItself));
        }
        let (from, to) = (self.parent()?, target.parent()?);
        // Nothing is counted, but nobody may put something at the target between the look and the move.
        let _usage = self.mount.folder.lock();
        match to.symlink_metadata(target.name()) {
            Ok(_) => return Err(target.error(Cause::Exists)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(target.error(error)),
        }
        self.explained(from.rename(self.name(), &to, target.name()))
    }

    /// The file that is in the place, if there is one. Anything else there is an error.
    fn old_file(&self, parent: &Dir) -> Result<Option<Metadata>, WorkspaceError> {
        match parent.symlink_metadata(self.name()) {
            Ok(metadata) if metadata.is_file() => Ok(Some(metadata)),
            Ok(metadata) if metadata.is_symlink() => Err(self.error(Cause::Link)),
            Ok(_) => Err(self.error(Cause::NotAFile)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.error(error)),
        }
    }
}

/// Puts a file in a place, whole or not at all.
fn replace(parent: &Dir, name: &str, content: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let mut file = TempFile::new(parent)?;
    file.write_all(content)?;
    if let Some(old) = old {
        file.as_file().set_permissions(plain(old.permissions()))?;
    }
    file.replace(name)
}

/// The permissions without the bits that would lend the owner's or the group's rights to whoever runs the file.
fn plain(permissions: Permissions) -> Permissions {
    Permissions::from_mode(permissions.mode() & 0o777)
}
