//! Gets what a project's language needs, into a folder of its own.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{COMPONENTIZE_PY, GO, ZIG, folder, node_packages};
use crate::Error;
use crate::language::Language;
use crate::project::Project;

/// Installs what is missing of what the project is built with, and says each step before it is done.
pub(crate) fn install(project: &Project, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
    match project.language {
        // The crate's own builder gets what it needs.
        Language::Rust => Ok(()),
        Language::Python if super::componentize_py().is_ok() => Ok(()),
        Language::Python => pip(COMPONENTIZE_PY, tell),
        Language::C if super::zig().is_ok() => Ok(()),
        Language::C => pip(ZIG, tell),
        Language::Go if super::go().is_ok() => Ok(()),
        Language::Go => pip(GO, tell),
        Language::Js | Language::Ts if super::node_modules(project).is_ok() => Ok(()),
        Language::Js | Language::Ts => npm(project, tell),
    }
}

/// Installs a package with the programs that it brings, apart from the machine's own Python.
fn pip(package: &str, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let environment = folder().join("python");
    let python = environment.join("bin").join("python3");
    if !python.is_file() {
        let mut command = super::python()?.command();
        run(command.args(["-m", "venv"]).arg(&environment), tell)?;
    }
    let options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package];
    run(Command::new(python).args(options), tell)
}

fn npm(project: &Project, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
    super::node(project.language)?;
    let prefix = folder().join("js");
    fs::create_dir_all(&prefix).map_err(Error::file(&prefix))?;
    let mut command = Command::new("npm");
    command.args(["install", "--silent", "--no-fund", "--no-audit", "--prefix"]).arg(&prefix);
    run(command.args(node_packages(project)), tell)
}

fn run(command: &mut Command, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let shown = shown(command);
    tell(&shown);
    let failed = |reason: String| Error::Program { program: shown.clone(), reason };
    let done = command.stdin(Stdio::null()).output().map_err(|cause| failed(cause.to_string()))?;
    if done.status.success() {
        return Ok(());
    }
    Err(failed(format!("{}\n{}", done.status, String::from_utf8_lossy(&done.stderr).trim())))
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
