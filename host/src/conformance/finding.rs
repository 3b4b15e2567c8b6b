//! What a check came to.

use serde::Serialize;

use super::Check;

/// What was judged of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It does what the contract says.
    Pass,
    /// It does not.
    Fail,
    /// There is nothing to judge.
    NotApplicable,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// Where, and what is wrong, in one sentence.
    pub what: String,
    /// What should have been there; empty where `what` says it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub expected: String,
    /// What was there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub seen: String,
}

impl Finding {
    /// A finding that is said in one sentence.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), expected: String::new(), seen: String::new() }
    }

    /// The same with what was there.
    pub(super) fn seen(mut self, seen: impl Into<String>) -> Self {
        self.seen = seen.into();
        self
    }

    /// The same with what should have been there.
    pub(super) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    /// The same, of this part of a check.
    pub(super) fn within(mut self, part: &str) -> Self {
        self.what = format!("{part}: {}", self.what);
        self
    }
}

/// What one check came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Judged {
    /// The check.
    pub check: Check,
    /// How it ended.
    pub verdict: Verdict,
    /// What was tried, or why nothing was, in one sentence.
    pub said: String,
    /// What is wrong; none unless the check fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What is worth knowing besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Judged {
    pub(super) fn failed(check: Check, findings: Vec<Finding>) -> Self {
        let said = match findings.as_slice() {
            [one] => one.what.clone(),
            several => format!("{} findings", several.len()),
        };
        Self { check, verdict: Verdict::Fail, said, findings, notes: Vec::new() }
    }

    pub(super) fn idle(check: Check, why: impl Into<String>) -> Self {
        Self {
            check,
            verdict: Verdict::NotApplicable,
            said: why.into(),
            findings: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// What a check found good, or why it has nothing to judge.
pub(super) enum Said {
    /// All is well: what was tried, and what is worth knowing besides.
    Pass(String, Vec<String>),
    /// There is nothing to judge.
    Idle(String),
}

impl Said {
    pub(super) fn pass(said: impl Into<String>) -> Self {
        Self::Pass(said.into(), Vec::new())
    }

    pub(super) fn idle(why: impl Into<String>) -> Self {
        Self::Idle(why.into())
    }
}

/// What a check comes to: all findings, or what was tried.
pub(super) type Outcome = Result<Said, Findings>;

/// Everything that a check found wrong.
pub(super) struct Findings(pub(super) Vec<Finding>);

impl From<Finding> for Findings {
    fn from(finding: Finding) -> Self {
        Self(vec![finding])
    }
}
