//! `cepa build`.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use cepa_guest_build::{Build, Output, write_whole};
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
                let placed = fs::read(&component.path).and_then(|bytes| write_whole(output, &bytes));
                placed.map_err(|error| {
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
