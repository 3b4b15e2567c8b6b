//! The middlewares that come with the host, compiled by its build script.

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The component of a bundled middleware.
pub fn bundled(name: &str) -> Option<&'static [u8]> {
    BUNDLED.iter().find(|(known, _)| *known == name).map(|(_, component)| *component)
}

/// The names of the bundled middlewares, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().map(|(name, _)| *name)
}
