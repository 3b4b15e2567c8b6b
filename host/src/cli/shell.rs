//! Words of a command line that a person may copy.

use std::borrow::Cow;

/// A word as a shell takes it.
pub fn quoted(word: &str) -> Cow<'_, str> {
    // What can't be quoted is a zero byte, and no program can be given one.
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

/// An option with its value, which may begin with a dash.
pub fn option(name: &str, value: &str) -> String {
    let joint = if value.starts_with('-') { '=' } else { ' ' };
    format!("{name}{joint}{}", quoted(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_each_as_it_was_meant() {
        assert_eq!(option("--session", "s-1_2.3"), "--session s-1_2.3");
        assert_eq!(option("--session", "-rf"), "--session=-rf");
        assert_eq!(option("--approve", "a b==;$(id)"), "--approve 'a b==;$(id)'");
        assert_eq!(quoted("it's"), "\"it's\"");
    }
}
