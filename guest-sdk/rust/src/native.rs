//! The native side: handles are plain structs in memory, and imports ask the [rig](crate::rig).

pub mod agents;
mod ambient;
mod compress;
mod flow_handles;
mod handed;
mod handle;
pub mod http;
pub mod index;
mod model;
mod outward;
mod permission;
mod reasoning;
mod reply;
mod services;
mod store;
pub mod telemetry;
mod tool;
mod turn;
pub mod workspace;

pub use ambient::{clock, context, log, random};
pub use services::{conversation, models, tools};
pub use store::state;

pub mod flow {
    //! Nexts, runs and the sink.
    pub use super::flow_handles::*;
    pub(crate) use super::outward::Outward;
}

pub mod requests {
    //! Requests and responses, and the data behind each.
    pub use super::compress::*;
    pub use super::model::*;
    pub use super::permission::*;
    pub use super::reasoning::*;
    pub use super::reply::*;
    pub use super::tool::*;
    pub use super::turn::*;
}
