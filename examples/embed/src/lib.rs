//! A web service that triages bug reports: a host of its own kind, with an agent inside.

mod agent;
mod tracker;
mod web;

pub use agent::triage_agent;
pub use tracker::Tracker;
pub use web::routes;
