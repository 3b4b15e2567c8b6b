//! Files, in memory.

use crate::rig::{Capability, World, granted};
use crate::{Error, ErrorKind};

pub use crate::bindings::cepa::middleware::workspace::{Entry, EntryKind, Mount};

/// What a path leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    File,
    Folder,
    Nothing,
}

fn missing(path: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("`{path}` is not there"))
}

fn refused(path: &str, why: &str) -> Error {
    Error::invalid(format!("`{path}` {why}"))
}

fn find(world: &World, path: &str) -> Found {
    if world.files.contains_key(path) {
        Found::File
    } else if world.folders.contains(path) || world.mounts.iter().any(|mount| mount.name == path) {
        Found::Folder
    } else {
        Found::Nothing
    }
}

/// Whether the path is one, and below a mount; the host refuses more.
fn check<'w>(world: &'w World, path: &str) -> Result<&'w Mount, Error> {
    if path.split('/').any(|name| matches!(name, "" | "." | "..")) {
        return Err(refused(path, "is no usable path"));
    }
    let name = path.split('/').next().unwrap_or_default();
    let mount = world.mounts.iter().find(|mount| mount.name == name);
    mount.ok_or_else(|| Error::new(ErrorKind::Denied, format!("`{path}` is below no granted mount")))
}

fn check_change(world: &World, path: &str) -> Result<(), Error> {
    if !check(world, path)?.writable {
        return Err(Error::new(ErrorKind::Denied, format!("`{path}` can't be changed")));
    }
    match path.rsplit_once('/') {
        None => Err(refused(path, "is a mount itself")),
        Some((parent, _)) if find(world, parent) != Found::Folder => Err(missing(parent)),
        Some(_) => Ok(()),
    }
}

fn entry(world: &World, path: &str) -> Result<Entry, Error> {
    let (kind, size) = match find(world, path) {
        Found::File => (EntryKind::File, world.files.get(path).map_or(0, Vec::len)),
        Found::Folder => (EntryKind::Folder, 0),
        Found::Nothing => return Err(missing(path)),
    };
    let name = path.rsplit('/').next().unwrap_or(path).to_owned();
    Ok(Entry { name, kind, size: size as u64, modified_ms: world.now_ms })
}

/// The paths of what is in a folder, without what is in folders in it.
fn children(world: &World, folder: &str) -> Vec<String> {
    let is_child = |path: &&String| path.rsplit_once('/').is_some_and(|(parent, _)| parent == folder);
    let mut paths: Vec<String> = world.files.keys().chain(&world.folders).filter(is_child).cloned().collect();
    paths.sort();
    paths
}

fn content<'w>(world: &'w World, path: &str) -> Result<&'w Vec<u8>, Error> {
    check(world, path)?;
    match (world.files.get(path), find(world, path)) {
        (Some(content), _) => Ok(content),
        (None, Found::Folder) => Err(refused(path, "is no file")),
        (None, _) => Err(missing(path)),
    }
}

fn used<T>(then: impl FnOnce(&mut World) -> Result<T, Error>) -> Result<T, Error> {
    granted(Capability::Workspace, then)?
}

/// The granted mounts.
pub fn mounts() -> Result<Vec<Mount>, Error> {
    used(|world| Ok(world.mounts.clone()))
}

/// What is at a path.
pub fn stat(path: &str) -> Result<Entry, Error> {
    used(|world| check(world, path).and_then(|_| entry(world, path)))
}

/// The first entries of a folder after a name.
pub fn entries(path: &str, after: Option<&str>, limit: u32) -> Result<Vec<Entry>, Error> {
    used(|world| {
        check(world, path)?;
        match find(world, path) {
            Found::Folder => {}
            Found::File => return Err(refused(path, "is no folder")),
            Found::Nothing => return Err(missing(path)),
        }
        let all = children(world, path).into_iter().map(|child| entry(world, &child));
        let all: Vec<Entry> = all.collect::<Result<_, _>>()?;
        let later = |entry: &Entry| after.is_none_or(|after| entry.name.as_str() > after);
        Ok(all.into_iter().filter(later).take(limit as usize).collect())
    })
}

/// A whole file.
pub fn read(path: &str) -> Result<Vec<u8>, Error> {
    used(|world| content(world, path).cloned())
}

/// A part of a file.
pub fn read_part(path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
    used(|world| {
        let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(content(world, path)?.iter().copied().skip(skipped).take(length as usize).collect())
    })
}

/// Makes or replaces a file.
pub fn write(path: &str, content: &[u8]) -> Result<(), Error> {
    used(|world| {
        check_change(world, path)?;
        if find(world, path) == Found::Folder {
            return Err(refused(path, "is no file"));
        }
        world.files.insert(path.to_owned(), content.to_vec());
        Ok(())
    })
}

/// Adds at the end of a file.
pub fn append(path: &str, content: &[u8]) -> Result<(), Error> {
    used(|world| {
        check_change(world, path)?;
        if find(world, path) == Found::Folder {
            return Err(refused(path, "is no file"));
        }
        world.files.entry(path.to_owned()).or_default().extend_from_slice(content);
        Ok(())
    })
}

/// Makes a folder, and those above it.
pub fn create_folder(path: &str) -> Result<(), Error> {
    used(|world| {
        check(world, path)?;
        for (end, _) in path.match_indices('/').chain([(path.len(), "")]) {
            let folder = path.get(..end).unwrap_or(path);
            match find(world, folder) {
                Found::Folder => {}
                Found::File => return Err(refused(path, "is no folder, or one above it is none")),
                Found::Nothing => {
                    check_change(world, folder)?;
                    world.folders.insert(folder.to_owned());
                }
            }
        }
        Ok(())
    })
}

/// Removes a file or an empty folder.
pub fn remove(path: &str) -> Result<(), Error> {
    used(|world| {
        check_change(world, path)?;
        if !children(world, path).is_empty() {
            return Err(refused(path, "is not empty"));
        }
        let was_there = world.files.remove(path).is_some() || world.folders.remove(path);
        if was_there { Ok(()) } else { Err(missing(path)) }
    })
}

/// Moves within a mount.
pub fn rename(path: &str, target: &str) -> Result<(), Error> {
    used(|world| {
        check_change(world, path)?;
        check_change(world, target)?;
        if find(world, path) == Found::Nothing {
            return Err(missing(path));
        }
        if find(world, target) != Found::Nothing {
            return Err(refused(target, "is there already"));
        }
        if target.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')) {
            return Err(refused(path, "can't be moved into itself"));
        }
        let moved = |old: &String| match old.strip_prefix(path) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{target}{rest}"),
            _ => old.clone(),
        };
        world.folders = world.folders.iter().map(moved).collect();
        world.files = std::mem::take(&mut world.files)
            .into_iter()
            .map(|(old, content)| (moved(&old), content))
            .collect();
        Ok(())
    })
}
