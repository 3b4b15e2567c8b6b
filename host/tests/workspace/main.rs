//! Workspaces: what layers may do with files, and every way out of a mount that hosts like this have had.

mod changes;
mod escapes;
mod names;
mod quotas;
mod races;
mod reading;
mod rig;
#[cfg(unix)]
mod special;
