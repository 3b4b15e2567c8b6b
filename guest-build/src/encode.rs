//! From a core module to a component, and onto the disk.

use std::fs;
use std::path::Path;

use wit_component::ComponentEncoder;

use crate::Error;

/// Wraps a core module that carries its contract, as `wit-bindgen` leaves it, into a validated component.
///
/// No adapter is used: a module that imports anything but the contract is refused.
pub fn encode(package: &str, module: &[u8]) -> Result<Vec<u8>, Error> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|cause| Error::Encode { package: package.to_owned(), reason: format!("{cause:#}") })
}

/// Encodes `module` into `component`, unless that file is there and already the same.
pub(crate) fn encode_file(package: &str, module: &Path, component: &Path) -> Result<(), Error> {
    let core = fs::read(module).map_err(Error::file(module))?;
    let bytes = encode(package, &core)?;
    if fs::read(component).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    write_whole(component, &bytes)
}

/// Writes all or nothing: a reader never sees half a component.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    let part = path.with_extension(format!("part-{}", std::process::id()));
    fs::write(&part, bytes).map_err(Error::file(&part))?;
    fs::rename(&part, path).map_err(Error::file(path))
}
