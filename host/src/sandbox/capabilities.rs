//! The host's side of the contract's imports: one file a capability. Each denies what the layer was not granted.

mod agents;
mod context;
mod conversation;
mod http;
mod index;
mod models;
mod state;
mod telemetry;
mod time;
mod tools;
mod workspace;

/// Whether a list of granted names covers this one; `*` stands for all.
fn covers(granted: &[String], name: &str) -> bool {
    granted.iter().any(|grant| grant == "*" || grant == name)
}
