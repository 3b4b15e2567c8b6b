//! Files that are offered as components.

use cepa_tests::chain::sandbox;

use crate::runtime;

/// Loads the bytes as a component, which compiles and starts them if they are one.
pub(crate) fn load(bytes: &[u8]) {
    if let Err(error) = runtime().block_on(sandbox().load("stranger", bytes)) {
        assert!(!error.to_string().is_empty(), "a refusal says why");
    }
}
