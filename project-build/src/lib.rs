//! Turns a middleware's project into one component, whatever language it is written in.
//!
//! A crate is built by [`cepa_guest_build`]. Every other project has a `middleware.toml`; its SDK and the contract come
//! from this crate, and the language's own compiler from the machine. Nothing of WASI comes in on the way.

mod adapter;
mod build;
mod c;
mod contract;
mod error;
mod files;
mod go;
mod language;
mod patterns;
mod place;
mod program;
mod project;
mod sdk;
mod stamp;
mod tools;

pub use build::{Build, Built};
pub use contract::HOOKS;
pub use error::{Error, Missing};
pub use files::{FileStamp, project_files};
pub use language::{Engine, Language};
pub use project::{MANIFEST, NAME_MAX, Project, is_name};
pub use sdk::file as sdk_file;
