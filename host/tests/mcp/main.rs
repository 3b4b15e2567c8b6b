//! MCP servers: what their tools answer, and what becomes of servers that misbehave.
//!
//! The servers here are written by hand, so that what they get and send is plain to see.

mod changes;
mod fake;
mod http;
mod news;
mod stdio;
mod support;
