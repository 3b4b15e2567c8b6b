//! The compiled cache: compiling takes long, loading what was compiled takes a blink.
//!
//! Compiled code is run as it is, so the cache takes only what this host wrote. Each file carries a hash over its
//! content and over a key that lies beside it, readable by this user alone; a file that was damaged or put there by
//! somebody else does not fit its hash, and is thrown away.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

const MAGIC: &[u8; 8] = b"cepa-cw1";
const HASH_BYTES: usize = 32;

/// Bytes of the whole cache. The files not used for longest go first.
const CACHE_BYTES_MAX: u64 = 1 << 30;

/// A folder of compiled components.
#[derive(Debug)]
pub struct CompiledCache {
    folder: PathBuf,
    key: [u8; HASH_BYTES],
}

impl CompiledCache {
    /// The cache in this folder, which is made when it is missing.
    ///
    /// # Errors
    /// When the folder can't be made, or its key can't be read or written.
    pub fn open(folder: impl Into<PathBuf>) -> std::io::Result<Self> {
        let folder = folder.into();
        fs::create_dir_all(&folder)?;
        only_for_owner(&folder, 0o700)?;
        let key = read_key(&folder)?;
        Ok(Self { folder, key })
    }

    /// The user's own cache folder: `$XDG_CACHE_HOME/cepa/compiled`, or below `~/.cache`.
    pub fn default_folder(xdg_cache_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
        let cache =
            xdg_cache_home.filter(|path| path.is_absolute()).or_else(|| Some(home?.join(".cache")))?;
        Some(cache.join("cepa").join("compiled"))
    }

    /// The compiled form of these bytes for this engine, if it is here and whole.
    pub(super) fn get(&self, engine: &Engine, bytes: &[u8]) -> Option<Component> {
        let path = self.path(engine, bytes);
        let file = fs::read(&path).ok()?;
        let component = self.check(&path, &file).and_then(|code| load(engine, code));
        if component.is_none() {
            tracing::warn!("discarding `{}`: it is damaged, or was not written by this host", path.display());
            // Another process may have been faster.
            let _ = fs::remove_file(&path);
        }
        component
    }

    /// Keeps a compiled component. A cache that can't be written costs time, so it is only warned of.
    pub(super) fn put(&self, engine: &Engine, bytes: &[u8], component: &Component) {
        let path = self.path(engine, bytes);
        let written = component
            .serialize()
            .map_err(|error| std::io::Error::other(format!("{error:#}")))
            .and_then(|code| self.write(&path, &code));
        if let Err(error) = written {
            tracing::warn!("can't keep a compiled component in `{}`: {error}", self.folder.display());
        }
        self.shrink(CACHE_BYTES_MAX);
    }

    /// The code in a file whose hash fits.
    fn check<'a>(&self, path: &Path, file: &'a [u8]) -> Option<&'a [u8]> {
        let rest = file.strip_prefix(MAGIC)?;
        let (hash, code) = rest.split_at_checked(HASH_BYTES)?;
        (self.hash(path, code) == hash).then_some(code)
    }

    fn write(&self, path: &Path, code: &[u8]) -> std::io::Result<()> {
        let mut file = tempfile_in(&self.folder)?;
        file.1.write_all(MAGIC)?;
        file.1.write_all(&self.hash(path, code))?;
        file.1.write_all(code)?;
        file.1.sync_all()?;
        fs::rename(&file.0, path)
    }

    /// Covers the key, the file's name (so that files can't be swapped) and the code.
    fn hash(&self, path: &Path, code: &[u8]) -> [u8; HASH_BYTES] {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let inner =
            Sha256::new().chain_update(self.key).chain_update(name.as_bytes()).chain_update(code).finalize();
        // Twice, so that nothing can be appended to what the first covers.
        Sha256::new().chain_update(self.key).chain_update(inner).finalize().into()
    }

    fn path(&self, engine: &Engine, bytes: &[u8]) -> PathBuf {
        struct Into<'a>(&'a mut Sha256);
        impl std::hash::Hasher for Into<'_> {
            fn finish(&self) -> u64 {
                0
            }

            fn write(&mut self, bytes: &[u8]) {
                self.0.update(bytes);
            }
        }
        let mut hash = Sha256::new();
        std::hash::Hash::hash(&engine.precompile_compatibility_hash(), &mut Into(&mut hash));
        hash.update(Sha256::digest(bytes));
        let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name).with_extension("cwasm")
    }

    /// Removes the files not used for longest until the rest is small enough.
    fn shrink(&self, allowed: u64) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files: Vec<_> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let meta = entry.metadata().ok()?;
                let compiled = entry.path().extension().is_some_and(|ending| ending == "cwasm");
                compiled
                    .then(|| (meta.accessed().or_else(|_| meta.modified()).ok(), meta.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in files {
            if total <= allowed {
                return;
            }
            if fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }
}

#[expect(
    unsafe_code,
    reason = "the engine can't check compiled code; the hash of the file was checked instead"
)]
fn load(engine: &Engine, code: &[u8]) -> Option<Component> {
    // SAFETY: `check` found that these bytes were written by `put` of a host with the same key, hence come from
    // `Component::serialize`; the engine itself refuses code of another version or configuration.
    unsafe { Component::deserialize(engine, code) }.ok()
}

/// The key of a cache folder; made with the folder.
fn read_key(folder: &Path) -> std::io::Result<[u8; HASH_BYTES]> {
    let path = folder.join("key");
    if let Some(key) = fs::read(&path).ok().and_then(|key| key.try_into().ok()) {
        return Ok(key);
    }
    let mut key = [0; HASH_BYTES];
    for half in key.chunks_mut(16) {
        half.copy_from_slice(uuid::Uuid::new_v4().as_bytes());
    }
    let (temporary, mut file) = tempfile_in(folder)?;
    file.write_all(&key)?;
    file.sync_all()?;
    // The first of several processes wins, and all use its key.
    let linked = fs::hard_link(&temporary, &path);
    fs::remove_file(&temporary)?;
    match linked {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            match fs::read(&path)?.try_into() {
                Ok(key) => Ok(key),
                Err(_) => {
                    // Damaged: what was hashed with it is worthless, so begin anew.
                    fs::write(&path, key)?;
                    Ok(key)
                }
            }
        }
        Err(error) => Err(error),
    }
}

/// A new file of a name that no other process uses, for this user alone.
fn tempfile_in(folder: &Path) -> std::io::Result<(PathBuf, fs::File)> {
    let path = folder.join(format!("{}.part", uuid::Uuid::new_v4()));
    let file = fs::OpenOptions::new().write(true).create_new(true).open(&path)?;
    only_for_owner(&path, 0o600)?;
    Ok((path, file))
}

#[cfg(unix)]
fn only_for_owner(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn only_for_owner(_path: &Path, _mode: u32) -> std::io::Result<()> {
    // The user's own folder is closed to others already.
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(engine: &Engine) -> (Vec<u8>, Component) {
        let bytes = b"\0asm\x0d\0\x01\0".to_vec();
        let component = Component::from_binary(engine, &bytes).unwrap();
        (bytes, component)
    }

    #[test]
    fn keeps_what_it_wrote_and_discards_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::default();
        let (bytes, compiled) = component(&engine);
        let cache = CompiledCache::open(folder.path()).unwrap();
        assert!(cache.get(&engine, &bytes).is_none());
        cache.put(&engine, &bytes, &compiled);
        assert!(CompiledCache::open(folder.path()).unwrap().get(&engine, &bytes).is_some());

        let path = cache.path(&engine, &bytes);
        let whole = fs::read(&path).unwrap();
        for place in [0, MAGIC.len(), MAGIC.len() + HASH_BYTES, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert!(cache.get(&engine, &bytes).is_none(), "byte {place}");
            assert!(!path.exists(), "byte {place}");
        }

        cache.put(&engine, &bytes, &compiled);
        fs::write(folder.path().join("key"), [7; HASH_BYTES]).unwrap();
        let foreign = CompiledCache::open(folder.path()).unwrap();
        assert!(foreign.get(&engine, &bytes).is_none(), "a file of another key");
    }

    #[test]
    fn is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::default();
        let (bytes, compiled) = component(&engine);
        let cache = CompiledCache::open(folder.path()).unwrap();
        cache.put(&engine, &bytes, &compiled);
        cache.shrink(u64::MAX);
        assert!(cache.get(&engine, &bytes).is_some());
        cache.shrink(10);
        assert!(cache.get(&engine, &bytes).is_none());
    }
}
