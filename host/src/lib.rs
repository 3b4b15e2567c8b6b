//! Cepa: a host for LLM agents whose middlewares are sandboxed WebAssembly components.

// A host must not die of what it is given; tests may.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::get_unwrap)]

#[cfg(not(unix))]
compile_error!("Cepa runs on Unix systems: it relies on their file permissions, process groups and signals");

pub mod agent;
pub mod bundled;
pub mod chain;
pub mod control;
pub mod error;
pub mod event;
mod hex;
pub mod host;
pub mod http;
pub mod index;
mod lock;
pub mod manifest;
pub mod message;
pub mod model;
pub mod models;
pub mod policy;
pub mod request;
pub mod sandbox;
pub mod secret;
pub mod services;
pub mod session;
mod sqlite;
pub mod state;
pub mod telemetry;
pub mod tool;
pub mod workspace;
pub mod world;
