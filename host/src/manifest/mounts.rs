//! `grants.workspace`: the folders that a layer may use, each under a name.

use std::path::{Path, PathBuf};

use super::problem::{Problem, Span};
use super::reader::{At, Reader};
use super::section::Section;
use crate::policy::MountSpec;
use crate::workspace::nested;
use crate::workspace::path::check_name;

/// The folders that some layer may change, links resolved, and where each is named.
#[derive(Default)]
pub(super) struct Changeable(Vec<(PathBuf, Span)>);

impl Changeable {
    /// Takes one more, unless it lies in another or another lies in it.
    fn add(&mut self, folder: &Path, span: &Span) -> Result<(), Problem> {
        // What can't be resolved can't be opened either, and that is told then.
        let Ok(folder) = folder.canonicalize() else { return Ok(()) };
        if let Some((_, other)) = self.0.iter().find(|(other, _)| nested(other, &folder)) {
            let message = "two folders that layers may change lie one in the other";
            let help = "what is written through one is missing in the count of the other: let one be read only with `ro:`, or mount the outer one alone";
            return Err(Problem::at(span.clone(), message)
                .says("this one")
                .label(other.clone(), "and this one")
                .help(help));
        }
        self.0.push((folder, span.clone()));
        Ok(())
    }
}

pub(super) fn read(
    reader: &mut Reader<'_>,
    grants: &mut Section<'_>,
    changeable: &mut Changeable,
) -> Vec<MountSpec> {
    let mounts = grants.named_texts(reader, "workspace");
    mounts.into_iter().filter_map(|(name, written)| mount(reader, name, &written, changeable)).collect()
}

fn mount(
    reader: &mut Reader<'_>,
    name: At<String>,
    written: &At<String>,
    changeable: &mut Changeable,
) -> Option<MountSpec> {
    if let Err(problem) = check_name(&name.value) {
        let message = format!("`{}` can't be the name of a mount", name.value.escape_debug());
        reader.report(Problem::at(name.span, message).says(problem.to_string()));
        return None;
    }
    let Some((writable, path)) = access(&written.value) else {
        let message = format!("mount `{}` does not say how far it goes", name.value);
        let help = "write `ro:./folder` for reading alone, or `rw:./folder` for reading and changing";
        reader.report(Problem::at(written.span.clone(), message).help(help));
        return None;
    };
    let folder = reader.surroundings.folder.join(path);
    if !folder.is_dir() {
        let message = if folder.exists() {
            format!("`{}` is no folder", folder.display())
        } else {
            format!("there is no folder `{}`", folder.display())
        };
        let help = "the path is relative to the manifest; make the folder first";
        reader.report(Problem::at(written.span.clone(), message).help(help));
        return None;
    }
    if writable && let Err(problem) = changeable.add(&folder, &written.span) {
        reader.report(problem);
        return None;
    }
    Some(MountSpec { name: name.value, folder, writable })
}

/// Whether files may be changed, and the path.
fn access(written: &str) -> Option<(bool, &str)> {
    let (writable, path) = match written.strip_prefix("rw:") {
        Some(path) => (true, path),
        None => (false, written.strip_prefix("ro:")?),
    };
    (!path.is_empty()).then_some((writable, path))
}
