//! How a check is shown to a person.

use std::fmt::Write as _;

use cepa::conformance::{Finding, Judged, Verdict};

use crate::cli::style::Style;

/// Where the words behind a check's name begin.
const INDENT: &str = "      ";

/// A check in a line, and below it what is wrong, what is worth knowing, and the command that shows it again.
pub(super) fn lines(judged: &Judged, again: &str) -> String {
    let mut text = format!("{:<5} {:<12} {}\n", word(judged.verdict), judged.check.name(), judged.said);
    for finding in &judged.findings {
        if judged.findings.len() > 1 {
            let _ = writeln!(text, "{INDENT}{}", finding.what);
        }
        text.push_str(&details(finding));
    }
    for note in &judged.notes {
        let _ = writeln!(text, "{INDENT}note      {note}");
    }
    if judged.verdict == Verdict::Fail {
        let _ = writeln!(text, "{INDENT}again     {again}");
    }
    text
}

fn details(finding: &Finding) -> String {
    let mut text = String::new();
    for (name, value) in [("expected", &finding.expected), ("seen", &finding.seen)] {
        for (number, line) in value.lines().enumerate() {
            let name = if number == 0 { name } else { "" };
            let _ = writeln!(text, "{}", format!("{INDENT}{name:<9} {line}").trim_end());
        }
    }
    text
}

/// The last line.
pub(super) fn counted(passed: usize, failed: usize, idle: usize) -> String {
    format!("{passed} passed, {failed} failed, {idle} not applicable\n")
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::NotApplicable => "n/a",
    }
}

/// The same with a check that fails set apart.
pub(super) fn coloured(text: &str, style: Style) -> String {
    if !text.starts_with(word(Verdict::Fail)) {
        return text.to_owned();
    }
    format!("{}{text}{}", style.warning(), style.plain())
}
