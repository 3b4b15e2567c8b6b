//! Components in other languages, which `tests/languages/build` makes.

use std::path::PathBuf;

/// A component of a language by its name.
///
/// # Panics
/// When it was not built.
pub fn built(language: &str, name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("languages/target");
    let path = folder.join(format!("{language}-{name}.wasm"));
    std::fs::read(&path)
        .unwrap_or_else(|error| panic!("`{}`: {error}; `tests/languages/build` makes it", path.display()))
}
