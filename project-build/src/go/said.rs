//! Turns what Go's compiler says into one sentence about the author's file.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::patterns::pattern;
use crate::project::Project;

static OWN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^(?:\./)?middleware/([^:\n]+):(\d+):(?:\d+:)? (.+)$"));
static GLUE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^(?:\./)?export_cepa_middleware_(\w+)/glue\.go:\d+:\d+: (.+)$"));
static METHOD: LazyLock<Regex> = LazyLock::new(|| pattern(r"(missing method|wrong type for method) (\w+)"));
static WANTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*want (\w+\(.+)$"));

/// The first mistake, and how many there are besides.
pub(super) fn explained(project: &Project, folder: &Path, said: &str) -> String {
    let mut own = OWN.captures_iter(said).map(|found| found.extract::<3>().1);
    if let Some([file, line, what]) = own.next() {
        let more = match own.count() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        return format!("{}:{line}: {what}{more}", folder.join(file).display());
    }
    match GLUE.captures(said).map(|found| found.extract::<2>().1) {
        Some([export, what]) => in_glue(project, &export.replace('_', "-"), what, said),
        None => format!("`go build` can't make the component: {}", said.trim()),
    }
}

/// The glue of a hook does not fit what the author wrote.
fn in_glue(project: &Project, hook: &str, what: &str, said: &str) -> String {
    let source = project.source.display();
    if what.contains("undefined: author.Middleware") {
        return format!(
            "{source}:1: there is no `Middleware`; write `var Middleware = &MyLayer{{}}` with the hooks' methods"
        );
    }
    let Some([trouble, method]) = METHOD.captures(what).map(|found| found.extract::<2>().1) else {
        return format!("{source}:1: `Middleware` does not fit `{hook}`: {what}");
    };
    let wanted = WANTED.captures(said).map(|found| format!("; it must be `{}`", &found.extract::<1>().1[0]));
    let trouble = if trouble == "missing method" { "has no method" } else { "has another method" };
    format!(
        "{}: `hooks` names `{hook}`, but `Middleware` in `{source}` {trouble} `{method}`{}; write it, or take the hook out of `middleware.toml`",
        project.at_hooks(),
        wanted.unwrap_or_default()
    )
}
