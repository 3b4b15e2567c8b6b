//! Cepa: a host for LLM agents whose middlewares are sandboxed WebAssembly components.
//!
//! # An agent of a manifest
//!
//! [`host::Host`] loads what a [`manifest::Manifest`] names: models, layers, tools, sessions and rules. What comes of it
//! is an [`agent::Agent`], which runs replies.
//!
//! ```
//! use cepa::agent::ReplyItem;
//! use cepa::event::Event;
//! use cepa::host::Host;
//! use cepa::manifest::Manifest;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("cepa.toml"), r#"
//! # [agent]
//! # name = "assistant"
//! # model = "main"
//! # [models.main]
//! # provider = "scripted"
//! # script = "script.toml"
//! # [sessions]
//! # memory = true
//! # "#)?;
//! # std::fs::write(folder.path().join("script.toml"), "[[turn]]\ntext = \"Hello.\"\n")?;
//! # let folder = folder.path();
//! let manifest = Manifest::load(folder)?;
//! let loaded = Host::new(None)?.load(&manifest, &|_| ()).await?;
//! let mut reply = loaded.agent.reply("a-session", "Hi").await?;
//! let mut streamed = String::new();
//! while let Some(item) = reply.next().await {
//!     if let ReplyItem::Event(Event::TextDelta { text, .. }) = item {
//!         streamed.push_str(&text);
//!     }
//! }
//! let result = reply.finish().await;
//! assert_eq!((streamed.as_str(), result.response.text().as_str()), ("Hello.", "Hello."));
//! # Ok(())
//! # }
//! ```
//!
//! # An agent put together in code
//!
//! [`agent::Agent::builder`] takes models ([`model::Model`], [`models`]), tools ([`tool::Tool`]), a session store
//! ([`session::SessionStore`]) and layers. A layer is a component that [`sandbox::Sandbox`] loads under a
//! [`policy::LayerSpec`], or a [`chain::Native`] one; both stand in the same [`chain`]. `examples/embed` runs such an
//! agent inside a web service.
//!
//! # Where to look
//!
//! [`chain`] has the hooks and what layers do; [`request`], [`message`] and [`event`] what passes through them;
//! [`policy`] grants and limits; [`error`] what goes wrong. `ARCHITECTURE.md` is the map of the code.

// A host must not die of what it is given; tests may.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::get_unwrap)]

#[cfg(not(unix))]
compile_error!("Cepa runs on Unix systems: it relies on their file permissions, process groups and signals");

pub mod agent;
pub mod bundled;
pub mod chain;
pub mod conformance;
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
