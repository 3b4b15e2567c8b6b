//! What a layer saw, recorded in one reply and replayed on its component.

mod cut;
mod differences;
mod faults;
mod same;
