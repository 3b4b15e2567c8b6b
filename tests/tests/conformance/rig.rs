//! Checks of components, and reports as a person would read them.

use cepa::conformance::{Check, Judged, Kit, Subject, Surroundings, Verdict};
use cepa_tests::chain::sandbox;
use cepa_tests::in_time;
use serde_json::Value;

/// A component that can be tested.
pub(crate) async fn subject(name: &str, bytes: &[u8], config: Value) -> Subject {
    let around = Surroundings { config, ..Surroundings::new(name) };
    Subject::load(sandbox(), bytes, around).await.unwrap_or_else(|error| panic!("{error}"))
}

/// Makes all checks.
pub(crate) async fn all(subject: Subject) -> Vec<Judged> {
    let kit = Kit::new(subject);
    let mut judged = Vec::new();
    for check in Check::ALL {
        judged.push(in_time(kit.check(check)).await);
    }
    judged
}

/// Makes one check.
pub(crate) async fn one(subject: Subject, check: Check) -> Judged {
    in_time(Kit::new(subject).check(check)).await
}

/// The names of the checks that came to this.
pub(crate) fn named(judged: &[Judged], verdict: Verdict) -> Vec<&'static str> {
    judged.iter().filter(|judged| judged.verdict == verdict).map(|judged| judged.check.name()).collect()
}

/// A report in lines.
pub(crate) fn report(judged: &[Judged]) -> String {
    let line = |judged: &Judged| {
        let mut text = format!("{:?} {}: {}", judged.verdict, judged.check, judged.said);
        for finding in &judged.findings {
            text.push_str(&format!("\n{}\n- {}\n+ {}", finding.what, finding.expected, finding.seen));
        }
        for note in &judged.notes {
            text.push_str(&format!("\n  {note}"));
        }
        text
    };
    judged.iter().map(line).collect::<Vec<_>>().join("\n")
}
