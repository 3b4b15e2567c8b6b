//! The contract, and the world that a project's component is made against.

use std::path::{Path, PathBuf};

use wit_bindgen_core::wit_parser::{Resolve, WorldId};
use wit_bindgen_core::{Files, WorldGenerator};

use crate::files::write_file;
use crate::project::Project;
use crate::{Error, sdk};

/// The package of the contract.
pub(crate) const PACKAGE: &str = "cepa:middleware";

/// What a middleware may implement: the hooks, and the taking over of state.
pub const HOOKS: [&str; 12] = [
    "on-reply",
    "on-reasoning",
    "on-model-call",
    "on-acting",
    "on-compress-context",
    "on-check-permission",
    "on-system-prompt",
    "on-events",
    "on-draft",
    "tool-source",
    "on-turn-end",
    "migrate-state",
];

/// What a middleware may import: what is always there, and what must be granted.
pub(crate) const IMPORTS: [&str; 17] = [
    "types",
    "events",
    "requests",
    "flow",
    "context",
    "log",
    "clock",
    "random",
    "agents",
    "conversation",
    "http",
    "index",
    "models",
    "state",
    "telemetry",
    "tools",
    "workspace",
];

/// The interface that says what configuration a middleware takes.
pub(crate) const CONFIGURATION: &str = "configuration";

/// The version of the contract that this program has.
pub(crate) fn version() -> &'static str {
    let text = sdk::file("wit/worlds.wit").unwrap_or_default();
    let version = text.split_once(&format!("package {PACKAGE}@")).and_then(|(_, rest)| rest.split_once(';'));
    version.map_or("", |(version, _)| version)
}

/// An interface of the contract, as the engine knows it.
pub(crate) fn interface(name: &str) -> String {
    format!("{PACKAGE}/{name}@{}", version())
}

/// What the project's component exports: its hooks, and its schema.
pub(crate) fn exports(project: &Project) -> impl Iterator<Item = &str> {
    let schema = project.schema.as_ref().map(|_| CONFIGURATION);
    project.hooks.iter().map(String::as_str).chain(schema)
}

/// Writes the contract's files into a folder.
pub(crate) fn write(folder: &Path) -> Result<(), Error> {
    sdk::unpack("wit", folder)
}

/// A world on disk, and read.
pub(crate) struct World {
    pub(crate) resolve: Resolve,
    pub(crate) id: WorldId,
}

/// Writes a world of this name that imports everything and exports what the project has, beside the contract, and reads
/// it. What the component does not use is not in it in the end.
pub(crate) fn world(project: &Project, folder: &Path, name: &str) -> Result<World, Error> {
    let lines: String = IMPORTS
        .iter()
        .map(|import| format!("  import {};\n", interface(import)))
        .chain(exports(project).map(|export| format!("  export {};\n", interface(export))))
        .collect();
    write(&folder.join("deps").join("middleware"))?;
    let file = folder.join("world.wit");
    let text = format!("package cepa:guest;\n\nworld {name} {{\n{lines}}}\n");
    write_file(&file, text.as_bytes())?;
    read(project, folder.to_owned(), name)
}

fn read(project: &Project, folder: PathBuf, name: &str) -> Result<World, Error> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(folder).map_err(Error::encode(&project.name))?;
    let id = resolve.select_world(&[package], Some(name)).map_err(Error::encode(&project.name))?;
    Ok(World { resolve, id })
}

impl World {
    /// Writes what a generator makes of the world into a folder.
    pub(crate) fn bind(
        &mut self,
        project: &Project,
        mut generator: Box<dyn WorldGenerator>,
        folder: &Path,
    ) -> Result<(), Error> {
        let mut files = Files::default();
        generator.generate(&mut self.resolve, self.id, &mut files).map_err(Error::encode(&project.name))?;
        files.iter().try_for_each(|(name, bytes)| write_file(&folder.join(name), bytes))
    }
}
