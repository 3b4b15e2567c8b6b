//! Turns what the compiler says into one sentence about the author's file.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::patterns::pattern;
use crate::project::Project;

use super::hooks::written;
use super::names::Names;

static MISTAKE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^([^\s:][^:\n]*):(\d+):\d+: (?:fatal )?error: (.+)$"));
static UNDEFINED: LazyLock<Regex> = LazyLock::new(|| pattern(r"undefined symbol: (\w+)"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern("'([^']+)'"));
static CONFLICT: LazyLock<Regex> = LazyLock::new(|| pattern(r"conflicting types for `(\w+)`"));

/// The first mistake, and how many there are besides.
pub(super) fn explained(project: &Project, names: &Names, said: &str) -> String {
    let mut mistakes = MISTAKE.captures_iter(said).map(|found| found.extract::<3>().1);
    if let Some([file, line, what]) = mistakes.next() {
        let more = match mistakes.count() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        return format!("{}:{line}: {}{more}", as_given(project, file), in_words(names, what));
    }
    match UNDEFINED.captures(said) {
        Some(found) if !found.extract::<1>().1[0].starts_with("cepa_") => {
            missing(project, names, found.extract::<1>().1[0])
        }
        _ => format!("`zig cc` can't make the component: {}", said.trim()),
    }
}

fn in_words(names: &Names, what: &str) -> String {
    let what = QUOTED.replace_all(what, "`$1`").into_owned();
    let changed = CONFLICT.captures(&what).map(|found| found.extract::<1>().1[0].to_owned());
    let hook = changed.and_then(|changed| written(names).into_iter().find(|one| one.name == changed));
    match hook {
        Some(hook) => {
            format!("`{}` is not what its hook calls; write `{}`", hook.name, hook.prototype(names))
        }
        None => what,
    }
}

/// A function that is called, and that nobody wrote.
fn missing(project: &Project, names: &Names, function: &str) -> String {
    let source = project.source.display();
    match written(names).into_iter().find(|one| one.name == function) {
        Some(hook) => format!(
            "{}: `hooks` names `{}`, but `{source}` has no `{function}`; write `{}`, or take the hook out of `middleware.toml`",
            project.at_hooks(),
            hook.hook,
            hook.prototype(names),
        ),
        None => {
            format!(
                "{source}:1: `{function}` is called and nowhere written; write it, or put its file beside the source"
            )
        }
    }
}

/// A file of the project by the path that the build was called with.
fn as_given(project: &Project, file: &str) -> String {
    let absolute = std::path::absolute(&project.folder).unwrap_or_else(|_| project.folder.clone());
    match Path::new(file).strip_prefix(absolute) {
        Ok(inner) => project.folder.join(inner).display().to_string(),
        Err(_) => file.to_owned(),
    }
}
