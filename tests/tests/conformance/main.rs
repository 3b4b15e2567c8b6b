//! The conformance kit: what is well made passes, and each check sees through a component that is not.

mod careless;
mod rig;
mod transcripts;
mod well_made;
