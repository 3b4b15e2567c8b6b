//! `cepa build`.

use std::io::{self, Write as _};
use std::path::Path;

use cepa_guest_build::{Build, Output};
use serde_json::json;

use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::view::Mode;

/// Builds the crate in a folder, and says where its component is.
pub fn build(folder: &Path, output: Option<&Path>, mode: Mode) -> Result<Exit, Failure> {
    let show = if mode == Mode::Human { Output::Terminal } else { Output::Captured };
    let built =
        Build::new(folder).output(show).run().map_err(|error| Failure::new(Exit::Component, error))?;
    if output.is_some() && built.len() > 1 {
        let message =
            format!("`{}` has {} crates, and `--output` names one file", folder.display(), built.len());
        return Err(Failure::usage(message));
    }
    for component in built {
        let path = match output {
            None => component.path,
            Some(output) => {
                place(&component.path, output).map_err(|error| {
                    Failure::usage(format!("`{}` can't be written: {error}", output.display()))
                })?;
                output.to_owned()
            }
        };
        match mode {
            Mode::Json => JsonLines::new(io::stdout())
                .line(&json!({ "type": "built", "package": component.package, "path": path }))?,
            Mode::Human | Mode::Quiet => writeln!(io::stdout(), "{}", path.display())?,
        }
    }
    Ok(Exit::Success)
}

/// Copies a file wholly or not at all, into a folder that is made when it is missing: who loads it meanwhile sees the
/// old one.
fn place(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let part = to.with_extension(format!("part-{}", std::process::id()));
    let placed = std::fs::copy(from, &part).and_then(|_| std::fs::rename(&part, to));
    if placed.is_err() {
        // It may not even be there; the error that counts is the one above.
        let _ = std::fs::remove_file(&part);
    }
    placed
}
