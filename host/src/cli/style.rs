//! Colours, and text that can't disturb a terminal.

use std::borrow::Cow;
use std::io::IsTerminal;

/// Whether and how text is set apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// Colours for a terminal, unless `NO_COLOR` is set.
    pub fn of(stream: &impl IsTerminal) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { colour: wanted && stream.is_terminal() }
    }

    /// Whether there are colours at all.
    pub fn is_coloured(self) -> bool {
        self.colour
    }

    /// The code that makes what follows faint.
    pub fn faint(self) -> &'static str {
        self.code("\x1b[2m")
    }

    /// The code that makes what follows stand out as a warning.
    pub fn warning(self) -> &'static str {
        self.code("\x1b[33m")
    }

    /// The code that ends a setting.
    pub fn plain(self) -> &'static str {
        self.code("\x1b[0m")
    }

    fn code(self, code: &'static str) -> &'static str {
        if self.colour { code } else { "" }
    }
}

/// Text without control characters but line ends and tabs: a model or a tool must not steer the terminal.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let harmful = |char: char| char.is_control() && char != '\n' && char != '\t' || is_direction(char);
    if text.contains(harmful) {
        Cow::Owned(text.chars().map(|char| if harmful(char) { '\u{fffd}' } else { char }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Characters that reorder what is seen, so that a shown command would differ from the one that runs.
fn is_direction(char: char) -> bool {
    matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Harmless text, whole and on one line.
pub fn flat(text: &str) -> String {
    harmless(text).replace(['\n', '\t'], " ")
}

/// Harmless text on one line of at most `max` characters.
pub fn one_line(text: &str, max: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = harmless(&flat).chars().take(max).collect();
    if line.len() < flat.len() && flat.chars().count() > max {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_not_steer_the_terminal() {
        assert_eq!(harmless("a\x1b[2Jb\r\u{202e}c\nd\te"), "a\u{fffd}[2Jb\u{fffd}\u{fffd}c\nd\te");
        assert_eq!(harmless("plain é 层"), "plain é 层");
        assert_eq!(flat("a\n? b\tc\u{7}"), "a ? b c\u{fffd}");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        assert_eq!(one_line(" a\n b ", 10), "a b");
        assert_eq!(one_line("éééé", 3), "ééé...");
        assert_eq!(one_line("ééé", 3), "ééé");
    }
}
