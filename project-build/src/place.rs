//! Where something stands in a text, and how names are listed.

/// The line of a byte, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Names in backticks, one after another.
pub(crate) fn list<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
