//! Patterns in what compilers and generators write.

use regex::Regex;

/// A pattern of this program's own.
pub(crate) fn pattern(text: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "it stands in this source, and its tests compile it")]
    Regex::new(text).expect("the pattern is sound")
}
