//! Components of Go: bindings for just the project's exports, the SDK's glue for each of them, and Go's own compiler.

mod said;

use std::fs;
use std::path::{Path, PathBuf};

use wit_bindgen_go::{Format, Opts};
use wit_component::{StringEncoding, embed_component_metadata};

use crate::contract::{self, CONFIGURATION};
use crate::files::write_file;
use crate::program::attempt;
use crate::project::Project;
use crate::{Error, adapter, sdk, tools};

/// The language version of the modules that are written here, which is the SDK's.
const GO: &str = "go 1.27.1";

/// What the author's package is called in the build.
const AUTHOR: &str = "middleware";

/// The component of a project, made in a folder that has the SDK in it.
pub(crate) fn make(project: &Project, work: &Path) -> Result<Vec<u8>, Error> {
    let module = work.join("module");
    let mut world = contract::world(project, &work.join("wit"), "guest")?;
    let options = Opts { format: Format::False, quiet: true, ..Opts::default() };
    world.bind(project, options.build(), &module)?;
    sdk::unpack("guest-sdk/go/cepa", &module.join("cepa"))?;
    sdk::unpack("go-runtime", &module.join("pkg"))?;
    author(project, &module)?;
    glue(project, &module)?;
    write_file(&module.join("go.mod"), module_file().as_bytes())?;

    let mut core = compile(project, &module)?;
    embed_component_metadata(&mut core, &world.resolve, world.id, StringEncoding::UTF8, false)
        .map_err(Error::encode(&project.name))?;
    adapter::component(project, &core)
}

/// Copies the author's files, as a module beside the SDK's.
fn author(project: &Project, module: &Path) -> Result<(), Error> {
    let folder = root(project);
    for source in project.sources()? {
        let name = source.strip_prefix(folder).unwrap_or(&source);
        let bytes = fs::read(&source).map_err(Error::file(&source))?;
        write_file(&module.join(AUTHOR).join(name), &bytes)?;
    }
    write_file(&module.join(AUTHOR).join("go.mod"), format!("module {AUTHOR}\n\n{GO}\n").as_bytes())
}

/// Puts the SDK's glue into the package of each export.
fn glue(project: &Project, module: &Path) -> Result<(), Error> {
    for export in contract::exports(project) {
        let text = sdk::file(&format!("guest-sdk/go/glue/{export}.go.txt")).unwrap_or_default();
        write_file(&package_of(module, export).join("glue.go"), text.as_bytes())?;
    }
    match &project.schema {
        Some(schema) => {
            write_file(&package_of(module, CONFIGURATION).join("schema.json"), schema.text.as_bytes())
        }
        None => Ok(()),
    }
}

/// The folder of an export's package, as the generator names it.
fn package_of(module: &Path, export: &str) -> PathBuf {
    module.join(format!("export_cepa_middleware_{}", export.replace('-', "_")))
}

fn module_file() -> String {
    format!(
        "module wit_component\n\n{GO}\n\nrequire (\n\tcepa v0.0.0\n\t{}\n\t{AUTHOR} v0.0.0\n)\n\nreplace (\n\tcepa => ./cepa\n\tgo.bytecodealliance.org/pkg => ./pkg\n\t{AUTHOR} => ./{AUTHOR}\n)\n",
        wit_bindgen_go::remote_pkg_version()
    )
}

/// Compiles the module without a network: all that it needs is in its folder.
fn compile(project: &Project, module: &Path) -> Result<Vec<u8>, Error> {
    let core = module.join("core.wasm");
    let mut command = tools::go()?.command();
    command.args(["build", "-trimpath", "-buildmode=c-shared", "-ldflags=-s -w -checklinkname=0", "-o"]);
    command.arg(&core).arg(".").current_dir(module);
    command.env("GOOS", "wasip1").env("GOARCH", "wasm").env("GOPROXY", "off");
    command.env("GOFLAGS", "-mod=mod").env("GOTOOLCHAIN", "local").env("GOWORK", "off");
    let done = attempt(&mut command)?;
    if !done.status.success() {
        let told = String::from_utf8_lossy(&done.stderr);
        return Err(Error::Mistake(said::explained(project, root(project), &told)));
    }
    fs::read(&core).map_err(Error::file(core))
}

/// The folder of the author's package.
fn root(project: &Project) -> &Path {
    project.source.parent().unwrap_or(&project.folder)
}
