//! Manifests that are no manifest, or a strange one.

use std::path::Path;

use cepa::manifest::Manifest;

/// Reads the text as a manifest. Whatever is wrong must be told with its place.
pub(crate) fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let variable = |name: &str| (name == "KEY").then(|| "secret-value".to_owned());
    if let Err(error) = Manifest::parse(text, Path::new("agent/cepa.toml"), &variable) {
        assert!(!error.problems.is_empty(), "a refusal names a problem");
        let shown = error.to_string();
        assert!(!shown.contains("secret-value"), "a problem never shows what a variable holds");
    }
}
