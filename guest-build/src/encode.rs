//! From a core module to a component, and onto the disk.

use std::path::Path;
use std::{fs, io};

use wit_component::ComponentEncoder;

use crate::Error;

/// Wraps a core module that carries its contract, as `wit-bindgen` leaves it, into a validated component.
///
/// No adapter is used: a module that imports anything but the contract is refused.
pub fn encode(package: &str, module: &[u8]) -> Result<Vec<u8>, Error> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(ComponentEncoder::encode)
        .map_err(|cause| Error::Encode { package: package.to_owned(), reason: format!("{cause:#}") })
}

/// Encodes `module` into `component`, unless that file is there and already the same.
pub(crate) fn encode_file(package: &str, module: &Path, component: &Path) -> Result<(), Error> {
    let core = fs::read(module).map_err(Error::file(module))?;
    let bytes = encode(package, &core)?;
    if fs::read(component).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    write_whole(component, &bytes).map_err(Error::file(component))
}

/// Writes a file wholly or not at all, into a folder that is made when it is missing: who reads it meanwhile sees the
/// old one.
///
/// # Errors
/// What the system says; no part of the file stays behind.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // It may not even be there; the error that counts is the one above.
        let _ = fs::remove_file(&part);
    }
    written
}
