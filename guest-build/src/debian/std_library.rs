//! The standard library for the guests' target, built once.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{library_path, packages, run::run};
use crate::{Error, TARGET};

const MANIFEST: &str = "[package]\nname = \"stdbuild\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n\
                        [profile.release]\ndebug = 0\nopt-level = \"s\"\n";

/// Builds the library with the unpacked compiler and puts it into that compiler's folder.
pub(super) fn build(root: &Path) -> Result<(), Error> {
    place_sources(root)?;
    let work = root.join("stdbuild");
    compile(root, &work)?;
    install(&work, &root.join("usr/lib/rustlib").join(TARGET).join("lib"))?;
    for folder in [work, root.join("usr/src"), root.join("usr/lib/rustlib/src")] {
        fs::remove_dir_all(&folder).map_err(Error::file(&folder))?;
    }
    Ok(())
}

/// Puts the sources where cargo looks for them.
fn place_sources(root: &Path) -> Result<(), Error> {
    let folder = root.join("usr/lib/rustlib/src/rust");
    let place = folder.join("library");
    if place.exists() {
        return Ok(());
    }
    fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    fs::rename(packages::sources(root)?, &place).map_err(Error::file(&place))
}

fn compile(root: &Path, work: &Path) -> Result<(), Error> {
    let source = work.join("src");
    fs::create_dir_all(&source).map_err(Error::file(&source))?;
    for (path, text) in [(work.join("Cargo.toml"), MANIFEST), (source.join("lib.rs"), "")] {
        fs::write(&path, text).map_err(Error::file(&path))?;
    }
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(work).args(["build", "--quiet", "--release", "--target", TARGET]);
    cargo.arg("-Zbuild-std=std,panic_abort").arg("--target-dir").arg(work.join("target"));
    for name in [
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "MAKEFLAGS",
        "CARGO_MAKEFLAGS",
    ] {
        cargo.env_remove(name);
    }
    // Bitcode lets guests be linked with link-time optimisation.
    cargo.env("RUSTFLAGS", "-Cembed-bitcode=yes").env("RUSTC_BOOTSTRAP", "1");
    cargo.env("RUSTC", root.join("usr/bin/rustc")).env("LD_LIBRARY_PATH", library_path(root));
    run(&mut cargo).map(|_| ())
}

fn install(work: &Path, library: &Path) -> Result<(), Error> {
    fs::create_dir_all(library).map_err(Error::file(library))?;
    let built = work.join("target").join(TARGET).join("release/deps");
    for entry in built.read_dir().map_err(Error::file(&built))?.flatten() {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if text.ends_with(".rlib") && !text.starts_with("libstdbuild") {
            fs::copy(entry.path(), library.join(&name)).map_err(Error::file(entry.path()))?;
        }
    }
    Ok(())
}
