//! The loop at its boundary: an agent with scripted models, native tools and native layers, and what comes out of it.
#![expect(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod abort;
mod calls;
mod drafts;
mod ends;
mod hanging;
mod layers;
mod nested;
mod notes;
mod offers;
mod parking;
mod partial;
mod permission;
mod rig;
mod services;
mod spending;
mod sub_agents;
mod swap;
mod sweep;
mod turns;
