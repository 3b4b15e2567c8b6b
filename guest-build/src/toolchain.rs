//! A compiler for the guests' target: the one at hand, the one that rustup adds, or Debian's.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Error, TARGET, debian};

/// How long `rustup target add` may take before Debian's compiler is tried.
const RUSTUP_TIME: Duration = Duration::from_secs(90);

/// How guests are compiled.
pub(crate) enum Toolchain {
    /// With the compiler at hand, which has the target.
    Native,
    /// With Debian's compiler.
    Debian(debian::Toolchain),
}

impl Toolchain {
    /// Finds a compiler, fetching one if it must. `CEPA_GUEST_TOOLCHAIN` names a way; `auto` tries each in turn.
    pub(crate) fn find() -> Result<Self, Error> {
        let asked = env::var("CEPA_GUEST_TOOLCHAIN").unwrap_or_default();
        match asked.as_str() {
            "" | "auto" => Self::auto(),
            "native" if has_target() => Ok(Self::Native),
            "native" => Err(Error::NoToolchain("the compiler at hand lacks it".to_owned())),
            "rustup" => add_target().map(|()| Self::Native).map_err(Error::NoToolchain),
            "debian" => debian::Toolchain::ready().map(Self::Debian),
            _ => Err(Error::UnknownToolchain(asked)),
        }
    }

    fn auto() -> Result<Self, Error> {
        if has_target() {
            return Ok(Self::Native);
        }
        let Err(no_rustup) = add_target() else { return Ok(Self::Native) };
        match debian::Toolchain::ready() {
            Ok(toolchain) => Ok(Self::Debian(toolchain)),
            Err(no_debian) => Err(Error::NoToolchain(format!("{no_rustup}, and {no_debian}"))),
        }
    }

    /// The folder for artefacts: those of two standard libraries don't link with each other.
    pub(crate) fn target_dir(&self, folder: &Path) -> PathBuf {
        match self {
            Self::Native => folder.to_owned(),
            Self::Debian(toolchain) => folder.join(toolchain.id()),
        }
    }

    /// Points `cargo build` at the compiler.
    pub(crate) fn apply(&self, command: &mut Command) {
        if let Self::Debian(toolchain) = self {
            toolchain.apply(command);
        }
    }
}

/// The compiler at hand; a build script is told which.
pub(crate) fn rustc() -> OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// Whether the compiler at hand has a standard library for the target.
fn has_target() -> bool {
    let asked = Command::new(rustc()).args(["--print", "target-libdir", "--target", TARGET]).output();
    let Ok(answer) = asked else { return false };
    let folder = String::from_utf8_lossy(&answer.stdout);
    let Ok(files) = Path::new(folder.trim()).read_dir() else { return false };
    files.flatten().any(|file| {
        let name = file.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    })
}

fn add_target() -> Result<(), String> {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = rustup.spawn().map_err(|cause| format!("`rustup` can't be run ({cause})"))?;
    let deadline = Instant::now() + RUSTUP_TIME;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() && has_target() => return Ok(()),
            Ok(Some(_)) => return Err(format!("`rustup target add {TARGET}` failed")),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(100)),
            Ok(None) => {
                // It may end by itself in this moment; either way it is gone afterwards.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`rustup target add {TARGET}` took over {} s", RUSTUP_TIME.as_secs()));
            }
            Err(cause) => return Err(format!("`rustup target add {TARGET}` failed ({cause})")),
        }
    }
}
