//! `cepa test`.

mod report;
mod target;

use std::borrow::Cow;
use std::io::{self, Write as _};

use cepa::conformance::{Check, Judged, Kit, Subject, SubjectError, Verdict};
use serde_json::{Value, json};

use super::args::TestArgs;
use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::load;
use super::progress::ProgressLine;
use super::style::{Style, harmless};
use super::view::Mode;

use report::{counted, lines};
use target::Target;

/// Checks a component by what the contract promises, and reports each check as it is done.
pub fn test(args: &TestArgs, mode: Mode) -> Result<Exit, Failure> {
    let checks = checks(&args.only)?;
    let target = Target::find(args)?;
    let (runtime, host) = (load::runtime()?, load::host()?);
    let line = ProgressLine::new(mode != Mode::Quiet);
    line.say(&format!("loading {}", args.component));
    let loaded = runtime.block_on(Subject::load(host.sandbox(), target.bytes, target.around));
    line.clear();
    let mut report = Report { args, mode, judged: Vec::new() };
    let subject = match loaded {
        Ok(subject) => subject.transcripts(target.transcripts),
        Err(error) => return unfit(error, report),
    };
    let kit = Kit::new(subject).updating(args.update);
    for check in checks {
        line.say(&format!("checking {check}"));
        let judged = runtime.block_on(kit.check(check));
        line.clear();
        report.add(judged)?;
    }
    report.end()
}

/// The checks to make: all, or those that were named.
fn checks(named: &[String]) -> Result<Vec<Check>, Failure> {
    if named.is_empty() {
        return Ok(Check::ALL.to_vec());
    }
    let check = |name: &String| {
        Check::from_name(name).ok_or_else(|| {
            let known: Vec<&str> = Check::ALL.iter().map(|check| check.name()).collect();
            Failure::usage(format!("there is no check `{name}`"))
                .hint(format!("the checks are {}", known.join(", ")))
        })
    };
    named.iter().map(check).collect()
}

/// A component that can't be loaded fails its first check; one that lacks a configuration was not tried.
fn unfit(error: SubjectError, mut report: Report<'_>) -> Result<Exit, Failure> {
    match error.judged() {
        Some(judged) => {
            report.add(judged)?;
            report.end()
        }
        None => Err(Failure::usage(error).hint(format!(
            "give one with `--config '{{...}}'`; `cepa inspect {}` shows the schema",
            report.args.component
        ))),
    }
}

/// What is told of the checks.
struct Report<'a> {
    args: &'a TestArgs,
    mode: Mode,
    judged: Vec<Judged>,
}

impl Report<'_> {
    fn add(&mut self, judged: Judged) -> io::Result<()> {
        match self.mode {
            Mode::Json => {
                JsonLines::new(io::stdout()).line(&object("check", serde_json::to_value(&judged)?))?;
            }
            Mode::Quiet if judged.verdict != Verdict::Fail => {}
            Mode::Human | Mode::Quiet => say(&lines(&judged, &again(self.args, judged.check)))?,
        }
        self.judged.push(judged);
        Ok(())
    }

    fn end(&self) -> Result<Exit, Failure> {
        let count = |verdict| self.judged.iter().filter(|judged| judged.verdict == verdict).count();
        let (passed, failed, idle) =
            (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::NotApplicable));
        match self.mode {
            Mode::Json => JsonLines::new(io::stdout()).line(&json!({
                "type": "conformance",
                "component": self.args.component,
                "passed": passed,
                "failed": failed,
                "not-applicable": idle,
            }))?,
            Mode::Human => say(&counted(passed, failed, idle))?,
            Mode::Quiet => {}
        }
        Ok(if failed == 0 { Exit::Success } else { Exit::Unfit })
    }
}

/// What is told may hold words of the component, so that a terminal gets it made harmless.
fn say(text: &str) -> io::Result<()> {
    let style = Style::of(&io::stdout());
    io::stdout().write_all(report::coloured(&harmless(text), style).as_bytes())
}

fn object(kind: &str, mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.insert("type".to_owned(), json!(kind));
    }
    value
}

/// The command that makes a check again.
fn again(args: &TestArgs, check: Check) -> String {
    let quoted = |text: &str| shlex::try_quote(text).map_or_else(|_| text.to_owned(), Cow::into_owned);
    let config = args.config.as_deref().map(|config| format!(" --config {}", quoted(config)));
    format!("cepa test {}{} --only {check}", quoted(&args.component), config.unwrap_or_default())
}
