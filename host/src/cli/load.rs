//! What every command begins with: the manifest, the runtime, the agent.

use std::env;
use std::path::{Path, PathBuf};

use cepa::host::{Host, LoadError, Loaded};
use cepa::index::OpenError;
use cepa::manifest::{Manifest, size};
use cepa::sandbox::CompiledCache;
use cepa::session::StoreError;
use tokio::runtime::Runtime;

use super::exit::{Exit, Failure};
use super::progress::ProgressLine;
use super::view::Mode;

/// The manifest.
pub fn manifest(path: &Path) -> Result<Manifest, Failure> {
    Manifest::load(path).map_err(|error| Failure::rendered(Exit::Manifest, error))
}

/// The runtime that replies run on.
pub fn runtime() -> Result<Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(Failure::machine("threads can't be started"))
}

/// The variable that bounds the cache of compiled components.
const CACHE_MAX: &str = "CEPA_CACHE_MAX";

/// A host with the user's own cache of compiled components.
pub fn host() -> Result<Host, Failure> {
    let folder = |name| env::var_os(name).map(PathBuf::from);
    let folder = CompiledCache::default_folder(folder("XDG_CACHE_HOME"), folder("HOME"));
    Host::with_cache(folder, cache_bytes()?).map_err(failure)
}

fn cache_bytes() -> Result<u64, Failure> {
    let Some(written) = env::var_os(CACHE_MAX) else { return Ok(CompiledCache::BYTES_MAX) };
    size(&written.to_string_lossy()).map_err(|why| Failure::usage(format!("`{CACHE_MAX}`: {why}")))
}

/// The agent of a manifest, ready to run.
pub fn agent(runtime: &Runtime, host: &Host, manifest: &Manifest, mode: Mode) -> Result<Loaded, Failure> {
    let line = ProgressLine::new(mode != Mode::Quiet);
    let loaded = runtime.block_on(host.load(manifest, &|text| line.say(text)));
    line.clear();
    let loaded = loaded.map_err(failure)?;
    for unmatched in loaded.unmatched_tools() {
        tracing::warn!("{unmatched}");
    }
    Ok(loaded)
}

/// Everything that a manifest names, loaded and left alone.
pub fn check(runtime: &Runtime, manifest: &Manifest, mode: Mode) -> Result<Loaded, Failure> {
    let host = host()?;
    let line = ProgressLine::new(mode != Mode::Quiet);
    let loaded = runtime.block_on(host.check(manifest, &|text| line.say(text)));
    line.clear();
    loaded.map_err(failure)
}

/// How the program ends when something can't be loaded.
pub fn failure(error: LoadError) -> Failure {
    match error {
        LoadError::Manifest(error) => Failure::rendered(Exit::Manifest, error),
        LoadError::Component(error) => Failure::rendered(Exit::Component, error),
        LoadError::Session(error) => {
            let hint = match error {
                StoreError::Damaged { .. } | StoreError::Newer { .. } => {
                    "move the file away to begin afresh, or name another under `[sessions]`"
                }
                _ => {
                    "see that you may write to the file and its folder and that no other program holds it, or name another under `[sessions]`"
                }
            };
            Failure::new(Exit::Session, error).hint(hint)
        }
        LoadError::Index(error) => {
            let hint = match error {
                OpenError::System { .. } => "see that you may write to the file and its folder",
                _ => "move the file away, and the layers begin afresh",
            };
            Failure::new(Exit::Session, error).hint(hint)
        }
        error => Failure::new(Exit::Internal, error),
    }
}
