//! The wasm side: handles and imports are the host's, and the hooks are exported.

mod exported;
#[allow(clippy::all, clippy::pedantic, missing_docs, unsafe_code, reason = "generated")]
pub mod hooks;
mod instance;
mod panic;

pub use exported::Exported;
pub use instance::{Cell, Instance};
