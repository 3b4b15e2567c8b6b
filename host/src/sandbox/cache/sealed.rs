//! A file of the cache: what it is called, and the hash that shows who wrote it.

use std::hash::{Hash as _, Hasher};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;

use crate::hex::hex;

use super::folder::Key;

const MAGIC: &[u8; 8] = b"cepa-cw1";
const HASH_BYTES: usize = 32;
const HEADER_BYTES: usize = MAGIC.len() + HASH_BYTES;

/// The ending of every file that holds compiled code.
pub(super) const ENDING: &str = "cwasm";

/// The name of the file with the compiled form of these bytes for this engine.
pub(super) fn name(engine: &Engine, bytes: &[u8]) -> String {
    struct Feed<'a>(&'a mut Sha256);
    impl Hasher for Feed<'_> {
        fn finish(&self) -> u64 {
            0
        }

        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
    }
    let mut hash = Sha256::new();
    engine.precompile_compatibility_hash().hash(&mut Feed(&mut hash));
    hash.update(Sha256::digest(bytes));
    format!("{}.{ENDING}", hex(&hash.finalize()))
}

/// What stands before the code in a file of this name.
pub(super) fn header(key: &Key, name: &str, code: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let (magic, seal) = header.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    seal.copy_from_slice(&hash(key, name, code));
    header
}

/// The code in a file of this name, if its hash fits.
pub(super) fn open<'a>(key: &Key, name: &str, file: &'a [u8]) -> Option<&'a [u8]> {
    let (seal, code) = file.strip_prefix(MAGIC)?.split_at_checked(HASH_BYTES)?;
    (hash(key, name, code) == seal).then_some(code)
}

/// Covers the key, the file's name (so that files can't be swapped) and the code.
fn hash(key: &Key, name: &str, code: &[u8]) -> [u8; HASH_BYTES] {
    let inner = Sha256::new().chain_update(key).chain_update(name).chain_update(code).finalize();
    // Twice, so that nothing can be appended to what the first covers.
    Sha256::new().chain_update(key).chain_update(inner).finalize().into()
}
