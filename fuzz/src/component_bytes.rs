//! Files that are offered as components.

use std::sync::LazyLock;

use cepa::sandbox::Sandbox;

use crate::runtime;

/// Without a cache, so that what is compiled is compiled.
static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(None).expect("the sandbox can be set up"));

/// Loads the bytes as a component, which compiles and starts them if they are one.
pub(crate) fn load(bytes: &[u8]) {
    if let Err(error) = runtime().block_on(SANDBOX.load("stranger", bytes)) {
        assert!(!error.to_string().is_empty(), "a refusal says why");
    }
}
