//! The layer's log: the contract's `log`, and a macro for each level.

pub use crate::backend::log::{Level, write};

/// Writes a line at the level `debug`, as `format!` makes it.
#[macro_export]
macro_rules! debug {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Debug, &::std::format!($($part)+)) };
}

/// Writes a line at the level `info`, as `format!` makes it.
#[macro_export]
macro_rules! info {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Info, &::std::format!($($part)+)) };
}

/// Writes a line at the level `warn`, as `format!` makes it.
#[macro_export]
macro_rules! warn {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Warn, &::std::format!($($part)+)) };
}

/// Writes a line at the level `error`, as `format!` makes it.
#[macro_export]
macro_rules! error {
    ($($part:tt)+) => { $crate::log::write($crate::log::Level::Error, &::std::format!($($part)+)) };
}
