//! What can go wrong between a guest's source and its component.

use std::io;
use std::path::PathBuf;

/// Why a guest was not built. Each text says what, which crate and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder holds no crate.
    #[error("`{0}` has no Cargo.toml, so it is no Rust guest")]
    NoCrate(PathBuf),
    /// The environment asks for a toolchain of an unknown name.
    #[error("`CEPA_GUEST_TOOLCHAIN={0}` is unknown: use `auto`, `native`, `rustup` or `debian`")]
    UnknownToolchain(String),
    /// No compiler can be had for the target.
    #[error(
        "no Rust compiler for `wasm32-unknown-unknown`: {0}; run `rustup target add wasm32-unknown-unknown` or install a Rust that has this target"
    )]
    NoToolchain(String),
    /// A program could not be started, or ended with a failure.
    #[error("`{program}` failed: {reason}")]
    Program {
        /// What was run.
        program: String,
        /// Its exit, and what it wrote.
        reason: String,
    },
    /// The compiler refused a guest.
    #[error("the guest {packages} does not compile{}", below(output))]
    Compile {
        /// The crates, in backticks.
        packages: String,
        /// What the compiler wrote; empty when it went to the terminal.
        output: String,
    },
    /// The crate gave no core module.
    #[error("the guest `{0}` gave no .wasm file: put `crate-type = [\"cdylib\", \"rlib\"]` under `[lib]`")]
    NoModule(String),
    /// The core module can't become a component.
    #[error("the guest `{package}` can't become a component: {reason}")]
    Encode {
        /// The crate.
        package: String,
        /// What `wit-component` says.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("`{path}`: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::File { path, cause }
    }
}

/// What a program wrote, below the line that says what it was.
fn below(output: &str) -> String {
    let output = output.trim_end();
    if output.is_empty() { String::new() } else { format!("\n{output}") }
}
