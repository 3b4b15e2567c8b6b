//! Turns Rust guest crates into components.
//!
//! One nested `cargo build` for `wasm32-unknown-unknown` compiles any number of crates, and `wit-component` wraps each
//! core module. Nothing of WASI comes in on the way. Build scripts use this, and so does `cepa build`.

mod build;
mod cargo;
mod debian;
mod encode;
mod error;
mod script;
mod toolchain;

pub use build::{Build, Component, Output};
pub use encode::{encode, write_whole};
pub use error::Error;
pub use script::Script;

/// The target that guests are compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";
