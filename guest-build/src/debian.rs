//! Debian's Rust compiler in a folder of its own, for machines where rustup can't add the target.
//!
//! Debian's packages hold a compiler that knows the target, but no standard library for it. So the library is built
//! once from its sources into the folder, and later builds need neither the sources nor unstable flags.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::debian::run::{run, succeeds};
use crate::{Error, toolchain};

mod packages;
mod run;
mod std_library;

/// Grows when what is in the folder changes.
const READY: &str = ".ready-1";

/// Debian's compiler, unpacked and with a standard library for the target.
pub(crate) struct Toolchain {
    folder: PathBuf,
    id: String,
}

impl Toolchain {
    /// The toolchain in its folder, made now if it isn't there. One process makes it; others wait.
    pub(crate) fn ready() -> Result<Self, Error> {
        let folder = folder()?;
        if let Some(found) = Self::found(&folder) {
            return Ok(found);
        }
        if !succeeds(Command::new("dpkg-deb").arg("--version")) {
            return Err(missing("this is no Debian system"));
        }
        let lock = lock(&folder)?;
        if let Some(found) = Self::found(&folder) {
            return Ok(found);
        }
        make(&folder)?;
        drop(lock);
        Self::found(&folder).ok_or_else(|| missing("Debian's compiler could not be set up"))
    }

    fn found(folder: &Path) -> Option<Self> {
        let id = fs::read_to_string(folder.join(READY)).ok()?;
        Some(Self { folder: folder.to_owned(), id: id.trim().to_owned() })
    }

    /// Names this very standard library.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Points `cargo build` at the compiler.
    pub(crate) fn apply(&self, command: &mut Command) {
        // The compiler is often older than what a workspace asks for, as its host does. Guests that need no newer one
        // compile, and others are told by it what is too new.
        command.arg("--ignore-rust-version");
        command.env("RUSTC", self.folder.join("usr/bin/rustc"));
        command.env("LD_LIBRARY_PATH", library_path(&self.folder));
        if let Some(linker) = linker() {
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
    }
}

/// `CEPA_GUEST_TOOLCHAIN_DIR`, or a folder in the user's cache.
fn folder() -> Result<PathBuf, Error> {
    if let Some(folder) = env::var_os("CEPA_GUEST_TOOLCHAIN_DIR") {
        return Ok(folder.into());
    }
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    let cache = cache.ok_or_else(|| missing("neither `CEPA_GUEST_TOOLCHAIN_DIR` nor `HOME` is set"))?;
    Ok(cache.join("cepa").join("guest-toolchain"))
}

/// The lock is the open file: it ends with this process.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.with_extension("lock");
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(Error::file(parent))?;
    }
    let file = File::create(&path).map_err(Error::file(&path))?;
    file.lock().map_err(Error::file(&path))?;
    Ok(file)
}

/// Makes the toolchain beside its folder and moves it there whole.
fn make(folder: &Path) -> Result<(), Error> {
    if folder.exists()
        && !folder.join(READY).exists()
        && folder.read_dir().is_ok_and(|mut all| all.next().is_some())
    {
        return Err(missing(&format!("`{}` holds something else", folder.display())));
    }
    let part = folder.with_extension("part");
    fs::create_dir_all(&part).map_err(Error::file(&part))?;
    let version = packages::unpack(&part)?;
    std_library::build(&part)?;
    let made = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let ready = part.join(READY);
    fs::write(&ready, format!("debian-{version}-{made}")).map_err(Error::file(&ready))?;
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Error::file(folder))?;
    }
    fs::rename(&part, folder).map_err(Error::file(folder))
}

/// Where Debian keeps libraries of this machine's kind.
fn library_path(folder: &Path) -> String {
    let own = folder.join(format!("usr/lib/{}-linux-gnu", env::consts::ARCH));
    match env::var("LD_LIBRARY_PATH") {
        Ok(others) if !others.is_empty() => format!("{}:{others}", own.display()),
        _ => own.display().to_string(),
    }
}

/// A linker for wasm: that of the Rust at hand, or LLVM's.
fn linker() -> Option<PathBuf> {
    let printed = |arguments: &[&str]| run(Command::new(toolchain::rustc()).args(arguments)).ok();
    let sysroot = printed(&["--print", "sysroot"])?;
    let version = printed(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "))?;
    let ours = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin/rust-lld");
    if ours.is_file() {
        return Some(ours);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join("wasm-ld")).find(|file| file.is_file())
}

fn missing(reason: &str) -> Error {
    Error::NoToolchain(reason.to_owned())
}
