//! A bound that was reached.

/// Which bound was reached, and by how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) struct LimitHit {
    /// The limit's name in the manifest.
    pub(in crate::sandbox) limit: &'static str,
    pub(in crate::sandbox) allowed: String,
    pub(in crate::sandbox) used: String,
}

impl std::fmt::Display for LimitHit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "limit `{}` reached: {} of {} allowed", self.limit, self.used, self.allowed)
    }
}

impl std::error::Error for LimitHit {}
