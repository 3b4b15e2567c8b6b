//! What the projects of all languages have in common, and how their files are written.

use std::fs;
use std::path::Path;

use crate::cli::exit::Failure;

/// What the scripted model of a new project says.
pub(super) const SCRIPT: &str = include_str!("template/script.toml");

/// A manifest that runs the middleware of this name.
pub(super) fn manifest(name: &str) -> String {
    include_str!("template/cepa.toml").replace("{name}", name)
}

/// Writes files into a folder that is not there yet.
pub(super) fn write(folder: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let failed = |path: &Path, cause: &std::io::Error| {
        Failure::usage(format!("`{}` can't be written: {cause}", path.display()))
    };
    if folder.exists() {
        let problem = format!("`{}` is there already", folder.display());
        return Err(Failure::usage(problem).hint("name a folder that is not there yet"));
    }
    for (name, text) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|cause| failed(parent, &cause))?;
        fs::write(&path, text).map_err(|cause| failed(&path, &cause))?;
    }
    Ok(())
}

/// Names in backticks, one after another.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// `say-please` as a type: `SayPlease`.
pub(super) fn type_name(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    name.split('-').map(word).collect()
}
