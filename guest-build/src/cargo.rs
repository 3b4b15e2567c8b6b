//! The nested `cargo build`.

use std::env;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Error, Output, TARGET, toolchain::Toolchain};

/// Small and quick guests whose traps still name their functions. Given on the command line, so that a guest outside
/// this workspace is built the same way.
const PROFILE: [&str; 7] = [
    "profile.guest.inherits='release'",
    "profile.guest.opt-level='s'",
    "profile.guest.lto=true",
    "profile.guest.codegen-units=1",
    "profile.guest.panic='abort'",
    "profile.guest.debug=false",
    "profile.guest.strip='debuginfo'",
];

/// The variable that names a folder of compiled dependencies which several projects share.
const BUILD_DIR: &str = "CEPA_GUEST_BUILD_DIR";

/// What to compile, and how.
pub(crate) struct Compile<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) packages: &'a [String],
    pub(crate) target_dir: &'a Path,
    pub(crate) toolchain: &'a Toolchain,
    pub(crate) output: Output,
}

/// A core module that cargo made.
pub(crate) struct Module {
    pub(crate) package: String,
    pub(crate) path: PathBuf,
}

/// Runs cargo and gives the core modules of the crates asked for, sorted by name.
pub(crate) fn compile(job: &Compile<'_>) -> Result<Vec<Module>, Error> {
    let mut command = command(job);
    let failed = |reason: String| Error::Program { program: "cargo build".to_owned(), reason };
    let mut child = command.spawn().map_err(|cause| failed(cause.to_string()))?;
    // Messages for people are drained beside those for us, so that neither pipe can fill up and block cargo.
    let stderr = child.stderr.take().map(|mut pipe| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What could be read before a failure is all there is to show.
            let _ = pipe.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    });
    let done = child.wait_with_output().map_err(|cause| failed(cause.to_string()))?;
    let output = stderr.and_then(|reader| reader.join().ok()).unwrap_or_default();
    if !done.status.success() {
        return Err(Error::Compile { packages: names(job), output });
    }
    let mut modules: Vec<Module> = done.stdout.split(|byte| *byte == b'\n').filter_map(module).collect();
    modules.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(modules)
}

fn command(job: &Compile<'_>) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(job.folder).args(["build", "--profile", "guest", "--target", TARGET, "--lib"]);
    command.arg("--message-format=json-render-diagnostics").arg("--target-dir").arg(job.target_dir);
    for setting in PROFILE {
        command.args(["--config", setting]);
    }
    for package in job.packages {
        command.args(["-p", package]);
    }
    for (name, _) in env::vars_os().filter(|(name, _)| disturbs(name)) {
        command.env_remove(name);
    }
    // The core modules still go into the folder's own target, so that two projects of one name don't meet.
    if let Some(shared) = env::var_os(BUILD_DIR).and_then(|shared| std::path::absolute(shared).ok()) {
        command.env("CARGO_BUILD_BUILD_DIR", job.toolchain.target_dir(&shared));
    }
    job.toolchain.apply(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(match job.output {
        Output::Captured => Stdio::piped(),
        Output::Terminal => Stdio::inherit(),
    });
    command
}

/// Whether a variable of an outer build would change the inner one. How cargo reaches its registries stays.
fn disturbs(name: &OsString) -> bool {
    const OURS: [&str; 7] = [
        "CARGO_HOME",
        "CARGO_NET_",
        "CARGO_HTTP_",
        "CARGO_REGISTR",
        "CARGO_SOURCE_",
        "CARGO_TERM_",
        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
    ];
    const THEIRS: [&str; 7] =
        ["RUSTFLAGS", "RUSTDOCFLAGS", "TARGET", "MAKEFLAGS", "MFLAGS", "PROFILE", "OUT_DIR"];
    let Some(name) = name.to_str() else { return false };
    if name.starts_with("CARGO_") {
        return !OURS.iter().any(|kept| name.starts_with(kept));
    }
    THEIRS.contains(&name) || name.starts_with("RUSTC_")
}

/// The core module that one line of cargo's messages tells of.
fn module(line: &[u8]) -> Option<Module> {
    let message: Value = serde_json::from_slice(line).ok()?;
    if message["reason"] != "compiler-artifact" {
        return None;
    }
    let kinds = message["target"]["kind"].as_array()?;
    if !kinds.iter().any(|kind| kind == "cdylib") {
        return None;
    }
    let files = message["filenames"].as_array()?;
    let mut files = files.iter().filter_map(Value::as_str).map(PathBuf::from);
    let path = files.find(|file| file.extension().is_some_and(|end| end == "wasm"))?;
    Some(Module { package: package_of(message["package_id"].as_str()?), path })
}

/// The name in a package id: `…#name@version`, or `…/name#version` where the folder has the crate's name.
fn package_of(id: &str) -> String {
    let (place, rest) = id.rsplit_once('#').unwrap_or(("", id));
    match rest.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => place.rsplit('/').next().unwrap_or(place).to_owned(),
    }
}

fn names(job: &Compile<'_>) -> String {
    if job.packages.is_empty() {
        return format!("`{}`", job.folder.display());
    }
    job.packages.iter().map(|package| format!("`{package}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_named_by_its_id() {
        assert_eq!(package_of("path+file:///src/middlewares/timing#0.1.0"), "timing");
        assert_eq!(package_of("path+file:///src/guests/loop#endless@0.1.0"), "endless");
    }

    #[test]
    fn an_outer_build_does_not_leak_into_the_inner_one() {
        for name in
            ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_MAKEFLAGS", "CARGO_PKG_NAME"]
        {
            assert!(disturbs(&name.into()), "{name}");
        }
        for name in [
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "CARGO_HTTP_PROXY",
            "CARGO_REGISTRIES_X_INDEX",
            "PATH",
            "RUSTC",
        ] {
            assert!(!disturbs(&name.into()), "{name}");
        }
    }
}
