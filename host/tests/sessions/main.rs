//! Session stores: what they keep, for how long, and what they refuse.

mod contract;
mod crash;
mod files;
mod property;
mod sample;
mod sharing;
