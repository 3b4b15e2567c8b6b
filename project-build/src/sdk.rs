//! The SDKs and the contract, which this crate carries with it, so that a build needs no checkout.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::files::write_file;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The text of an embedded file, such as `guest-sdk/python/new/head.py.txt`; none if there is no such file.
pub fn file(path: &str) -> Option<&'static str> {
    let found = FILES.iter().find(|(name, _)| *name == path);
    found.and_then(|(_, bytes)| str::from_utf8(bytes).ok())
}

/// Writes the files below an embedded folder into a folder of the disk.
pub(crate) fn unpack(from: &str, folder: &Path) -> Result<(), Error> {
    below(from).try_for_each(|(name, bytes)| write_file(&folder.join(name), bytes))
}

/// The files below an embedded folder, by their paths in it.
fn below(folder: &str) -> impl Iterator<Item = (&'static str, &'static [u8])> {
    FILES.iter().filter_map(move |(name, bytes)| {
        let inner = name.strip_prefix(folder)?.strip_prefix('/')?;
        Some((inner, *bytes))
    })
}

/// What a build depends on of these files: all of the contract and of one SDK.
pub(crate) fn digest(language: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    for folder in ["wit".to_owned(), format!("guest-sdk/{language}"), "go-runtime".to_owned()] {
        for (name, bytes) in below(&folder) {
            hash.update(name);
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sdk_is_there_with_the_contract() {
        for path in [
            "wit/worlds.wit",
            "guest-sdk/python/build",
            "guest-sdk/python/cepa/hooks.py",
            "guest-sdk/js/build",
            "guest-sdk/js/src/hooks.js",
            "guest-sdk/c/cepa.h",
            "guest-sdk/go/cepa/go.mod",
            "go-runtime/wit/types/option.go",
        ] {
            assert!(file(path).is_some(), "{path}");
        }
    }

    #[test]
    fn what_only_the_sdks_themselves_need_is_left_out() {
        let left_over: Vec<_> = FILES
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| name.contains("/tests/") || name.contains(".md"))
            .collect();
        assert_eq!(left_over, Vec::<&str>::new());
    }
}
