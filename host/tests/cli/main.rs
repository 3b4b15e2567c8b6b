//! The program as its users meet it: what it prints where, and how it ends.

mod agents;
mod answers;
mod building;
mod cache;
mod chat;
mod codes;
mod components;
mod conformance;
mod escapes;
mod json;
mod live;
mod log;
mod manifests;
mod mcp;
mod new;
mod pipes;
mod prompts;
mod quickstart;
mod recordings;
mod rig;
mod secrets;
mod servers;
mod sessions;
mod swap;
mod terminal;
mod web;
