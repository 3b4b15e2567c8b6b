//! Whether a component is still what its project would give.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::files::files_below;
use crate::project::Project;
use crate::{Error, sdk};

/// What a component was made of: the project's files, the SDK with the contract, and this program.
pub(crate) fn of(project: &Project) -> Result<String, Error> {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update(sdk::digest(project.language.sdk()));
    for file in files_below(&project.folder)? {
        let bytes = fs::read(&file).map_err(Error::file(&file))?;
        let name = file.strip_prefix(&project.folder).unwrap_or(&file);
        hash.update(name.as_os_str().as_encoded_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether the component is there and was made of this.
pub(crate) fn fits(component: &Path, stamp: &str) -> bool {
    component.is_file() && fs::read_to_string(beside(component)).is_ok_and(|kept| kept == stamp)
}

/// Takes the stamp away, before the component is made anew.
pub(crate) fn clear(component: &Path) {
    // One that is not there needs no clearing, and one that can't be removed can't be written either.
    let _ = fs::remove_file(beside(component));
}

/// Keeps what the component was made of.
pub(crate) fn keep(component: &Path, stamp: &str) -> Result<(), Error> {
    let file = beside(component);
    fs::write(&file, stamp).map_err(Error::file(file))
}

fn beside(component: &Path) -> PathBuf {
    component.with_extension("wasm.made-of")
}
