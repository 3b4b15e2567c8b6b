//! Components of C: bindings for just the project's exports, the contract's short names, and zig's C compiler.

mod header;
mod hooks;
mod names;
mod said;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use wit_bindgen_c::Opts;

use crate::contract::{self, IMPORTS};
use crate::files::write_file;
use crate::program::{self, attempt};
use crate::project::Project;
use crate::{Error, adapter, tools};

use header::Header;
use names::Names;

/// The contract's lists of the same shape are types of their own to C, and are cast into one another.
const OPTIONS: [&str; 8] = [
    "cc",
    "--target=wasm32-wasi",
    "-mexec-model=reactor",
    "-std=c17",
    "-Oz",
    "-g0",
    "-Wall",
    "-fno-strict-aliasing",
];

/// A full stack is a trap; zig's own 16 MiB would be most of a layer's memory.
const STACK: &str = "-Wl,-z,stack-size=1048576";

/// What the bindings would free is the SDK's, which keeps it for as long as a hook runs.
const NO_FREE: &str = "-Dfree=cepa_unneeded";

/// The component of a project, made in a folder that has the SDK in it.
pub(crate) fn make(project: &Project, work: &Path, tell: &mut dyn FnMut(&str)) -> Result<Vec<u8>, Error> {
    let folder = work.join("include").join("contract");
    let names = bindings(project, work, &folder)?;
    let exports = work.join("exports.c");
    write_file(&exports, hooks::exports(&names, project).as_bytes())?;
    let core = compile(project, &names, work, &folder, tell)?;
    adapter::component(project, &core)
}

/// Writes the bindings, their short names and the hooks' prototypes.
fn bindings(project: &Project, work: &Path, folder: &Path) -> Result<Names, Error> {
    let mut world = contract::world(project, &work.join("wit"), "cepa")?;
    let options = Opts { rename: renames(project), ..Opts::default() };
    world.bind(project, options.build(), folder)?;
    let header = fs::read_to_string(folder.join("cepa.h")).map_err(Error::file(folder))?;
    let names = Names::new(Header::read(&header));
    write_file(&folder.join("names.h"), names.header().as_bytes())?;
    write_file(&folder.join("hooks.h"), hooks::header(&names).as_bytes())?;
    Ok(names)
}

/// How the bindings are told to name what they make of each interface.
fn renames(project: &Project) -> Vec<(String, String)> {
    let import = |name: &str| match name {
        "types" => "cepa".to_owned(),
        name => format!("raw_{name}"),
    };
    let imports = IMPORTS.iter().map(|name| (contract::interface(name), import(name)));
    let exports = contract::exports(project);
    imports.chain(exports.map(|name| (contract::interface(name), name.replace('-', "_")))).collect()
}

/// Compiles the project with the SDK and the bindings, tells what the compiler warns of, and gives the core module.
fn compile(
    project: &Project,
    names: &Names,
    work: &Path,
    folder: &Path,
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<u8>, Error> {
    let sdk = work.join("guest-sdk").join("c");
    let zig = tools::zig()?;
    let compiler = || {
        let mut command = zig.command();
        command.args(OPTIONS).arg(include(&work.join("include"))).arg(include(&sdk)).current_dir(work);
        command
    };
    let bound = work.join("bindings.o");
    let mut command = compiler();
    command.arg(NO_FREE).arg("-c").arg(folder.join("cepa.c")).arg("-o").arg(&bound);
    let done = attempt(&mut command)?;
    if !done.status.success() {
        let reason = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(Error::Program { program: program::name(&command), reason });
    }

    let core = work.join("core.wasm");
    let own = project.sources()?.into_iter().map(absolute);
    let others = [sdk.join("cepa.c"), work.join("exports.c"), bound, folder.join("cepa_component_type.o")];
    let mut command = compiler();
    command.args(["-s", STACK]).arg("-o").arg(&core).args(own).args(others);
    let done = attempt(&mut command)?;
    let told = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        return Err(Error::Mistake(said::explained(project, names, &told)));
    }
    // Warnings.
    if !told.trim().is_empty() {
        tell(told.trim());
    }
    fs::read(&core).map_err(Error::file(core))
}

fn include(folder: &Path) -> OsString {
    let mut option = OsString::from("-I");
    option.push(folder);
    option
}

/// The compiler runs in a folder of its own.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}
