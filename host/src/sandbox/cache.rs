//! The compiled cache: compiling takes long, loading what was compiled takes a blink.
//!
//! Compiled code is run as it is, so the cache takes only what this host wrote. Each file carries a hash over its
//! content and over a key that lies beside it, readable by this user alone; a file that was damaged or put there by
//! somebody else does not fit its hash, and is thrown away.

mod evict;
mod folder;
mod sealed;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use wasmtime::Engine;
use wasmtime::component::Component;

use folder::Key;

/// A folder of compiled components, which any number of processes of one user may share.
#[derive(Debug)]
pub struct CompiledCache {
    folder: PathBuf,
    key: Key,
    bytes_max: u64,
}

impl CompiledCache {
    /// Bytes that a cache may take unless it is [`bounded`](Self::bounded) otherwise: 1 GiB, some thousand small
    /// components or some ten with a language runtime.
    pub const BYTES_MAX: u64 = 1 << 30;

    /// The cache in this folder, which is made when it is missing, and closed to other users. A folder that can't be
    /// written to is read from.
    ///
    /// # Errors
    /// When the folder can't be made, belongs to another user, or has no key and can't be given one.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        let key = folder::open(&folder)?;
        Ok(Self { folder, key, bytes_max: Self::BYTES_MAX })
    }

    /// The same with room for so many bytes. When there are more, those not used for longest go.
    #[must_use]
    pub fn bounded(self, bytes_max: u64) -> Self {
        Self { bytes_max, ..self }
    }

    /// The user's own cache folder: `$XDG_CACHE_HOME/cepa/compiled`, or below `~/.cache`.
    pub fn default_folder(xdg_cache_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
        let cache =
            xdg_cache_home.filter(|path| path.is_absolute()).or_else(|| Some(home?.join(".cache")))?;
        Some(cache.join("cepa").join("compiled"))
    }

    /// The compiled form of these bytes for this engine, if it is here and whole.
    pub(super) fn get(&self, engine: &Engine, bytes: &[u8]) -> Option<Component> {
        let name = sealed::name(engine, bytes);
        let path = self.folder.join(&name);
        let file = self.read(&path).ok()?;
        let component = sealed::open(&self.key, &name, &file).and_then(|code| load(engine, code));
        if component.is_none() {
            tracing::warn!("discarding `{}`: it is damaged, or was not written by this host", path.display());
            // Another process may have been faster.
            let _ = fs::remove_file(&path);
        }
        component
    }

    /// Keeps a compiled component. A cache that can't be written costs time, so it is only warned of.
    pub(super) fn put(&self, engine: &Engine, bytes: &[u8], component: &Component) {
        if let Err(error) = self.write(&sealed::name(engine, bytes), component) {
            tracing::warn!("can't keep a compiled component in `{}`: {error}", self.folder.display());
        }
    }

    /// The content of a file of the cache, which counts as used from now on.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // Looked at before it is opened: to open a pipe waits for its writer.
        if !fs::symlink_metadata(path)?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = File::open(path)?;
        // Times of access are not kept on many systems. Without the right to write, what is used is not known.
        let _ = file.set_modified(SystemTime::now());
        let mut content = Vec::new();
        file.take(self.bytes_max).read_to_end(&mut content)?;
        Ok(content)
    }

    fn write(&self, name: &str, component: &Component) -> io::Result<()> {
        let code = component.serialize().map_err(|error| io::Error::other(format!("{error:#}")))?;
        let header = sealed::header(&self.key, name, &code);
        if (header.len() + code.len()) as u64 > self.bytes_max {
            // It would push out all others, and then itself.
            return Ok(());
        }
        folder::write_whole(&self.folder, name, &[&header, &code])?;
        evict::shrink(&self.folder, self.bytes_max)
    }
}

#[expect(
    unsafe_code,
    reason = "the engine can't check compiled code; the hash of the file was checked instead"
)]
fn load(engine: &Engine, code: &[u8]) -> Option<Component> {
    // SAFETY: `sealed::open` found that these bytes were written by `put` of a host with the same key, hence come from
    // `Component::serialize`; the engine itself refuses code of another version or configuration.
    unsafe { Component::deserialize(engine, code) }.ok()
}
