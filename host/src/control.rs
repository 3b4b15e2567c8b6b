//! Control of a running host by its operator: swaps and their status, over a local socket or by changed files.
//!
//! Whatever serves an agent makes a [`Controller`] of it, listens with a [`Listener`], and may [`watch`] its files;
//! `cepa swap` is the [`call`]er.

mod client;
mod controller;
mod protocol;
mod server;
mod watch;

use std::io;
use std::path::{Path, PathBuf};

use crate::manifest::{Manifest, ManifestError, SessionSpec};

pub use client::{CallError, call};
pub use controller::Controller;
pub use protocol::{Answer, Reason, Refusal, Request, Status, SwapRequest};
pub use server::{ListenError, Listener};
pub use watch::{Watch, watch};

/// The longest path of a socket, in bytes: the systems have room for so many.
const PATH_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Where the host of a manifest listens unless it is told otherwise: beside its session file. Nowhere when sessions are
/// kept in memory.
pub fn default_path(manifest: &Manifest) -> Option<PathBuf> {
    match &manifest.sessions {
        SessionSpec::File(path) => Some(path.with_extension("sock")),
        SessionSpec::Memory => None,
    }
}

/// Where the host of the manifest at this path listens by default. Variables of the environment need not be set here:
/// the host has read them.
///
/// # Errors
/// When the manifest has mistakes.
pub fn find(manifest: &Path) -> Result<Option<PathBuf>, ManifestError> {
    let variable = |name: &str| Some(std::env::var(name).unwrap_or_else(|_| format!("unset-{name}")));
    Ok(default_path(&Manifest::load_with(manifest, &variable)?))
}

/// Refuses a path that no socket can have.
fn check_path(path: &Path) -> io::Result<()> {
    let bytes = path.as_os_str().len();
    if bytes <= PATH_MAX {
        return Ok(());
    }
    let text = format!("the path has {bytes} bytes, and that of a socket may have {PATH_MAX}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}
