//! `[permissions]`: which tool calls may run.

use super::problem::{Problem, Span};
use super::reader::{Reader, Section};

/// Which tool calls may run. Of the lists `deny` wins over `ask`, and `ask` over `allow`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionSpec {
    /// What holds for a call that is in no list.
    pub default: Option<Rule>,
    /// Patterns of calls that may run.
    pub allow: Vec<String>,
    /// Patterns of calls that a person is asked about.
    pub ask: Vec<String>,
    /// Patterns of calls that never run.
    pub deny: Vec<String>,
}

/// What is done with a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It runs.
    Allow,
    /// A person is asked.
    Ask,
    /// It never runs.
    Deny,
}

pub(super) fn read(reader: &mut Reader<'_>, root: &mut Section<'_>) -> PermissionSpec {
    let Some(mut section) = root.table(reader, "permissions") else { return PermissionSpec::default() };
    let words = [("allow", Rule::Allow), ("ask", Rule::Ask), ("deny", Rule::Deny)];
    let spec = PermissionSpec {
        default: section.word(reader, "default", &words),
        allow: patterns(reader, &mut section, "allow"),
        ask: patterns(reader, &mut section, "ask"),
        deny: patterns(reader, &mut section, "deny"),
    };
    section.finish(reader);
    spec
}

fn patterns(reader: &mut Reader<'_>, section: &mut Section<'_>, key: &'static str) -> Vec<String> {
    let mut patterns = Vec::new();
    for pattern in section.texts(reader, key).unwrap_or_default() {
        if is_pattern(&pattern.value) {
            patterns.push(pattern.value);
        } else {
            reader.report(unusable(pattern.span, &pattern.value));
        }
    }
    patterns
}

/// `tool`, or `tool(arguments)`.
fn is_pattern(text: &str) -> bool {
    let tool = match text.split_once('(') {
        Some((tool, rest)) if rest.ends_with(')') => tool,
        Some(_) => return false,
        None => text,
    };
    !tool.is_empty() && !tool.contains(|char: char| char.is_whitespace() || char == ')')
}

fn unusable(span: Span, pattern: &str) -> Problem {
    Problem::at(span, format!("`{pattern}` is not a pattern of tool calls"))
        .help("write `tool`, or `tool(glob)` where the glob is matched against the arguments")
}
