//! `cepa build`.

mod watch;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cepa_guest_build::{Output, write_whole};
use cepa_project_build::{Build, Built, Error};
use serde_json::json;

use super::args::BuildArgs;
use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::style::harmless;
use super::view::Mode;

/// Builds what is in a folder, and says where its components are; with `--watch` again whenever it changes.
pub fn build(args: &BuildArgs, mode: Mode) -> Result<Exit, Failure> {
    if args.watch {
        return watch::watch(args, mode);
    }
    once(args, mode)?;
    Ok(Exit::Success)
}

/// One build.
fn once(args: &BuildArgs, mode: Mode) -> Result<(), Failure> {
    let show = if mode == Mode::Human { Output::Terminal } else { Output::Captured };
    let built = Build::new(&args.folder).output(show).install(args.install).run(&mut |step| tell(step, mode));
    let built = built.map_err(failure)?;
    if args.output.is_some() && built.len() > 1 {
        let message =
            format!("`{}` has {} crates, and `--output` names one file", args.folder.display(), built.len());
        return Err(Failure::usage(message));
    }
    for component in built {
        let path = match &args.output {
            None => component.path.clone(),
            Some(output) => placed(&component.path, output)?,
        };
        say(&component, &path, mode)?;
    }
    Ok(())
}

/// What takes long, before it is done; and what the compiler warns of.
fn tell(step: &str, mode: Mode) {
    if mode == Mode::Human {
        // Who can't be told is not waiting for it.
        let _ = writeln!(io::stderr(), "{}", harmless(step));
    }
}

/// Copies the component to where it was asked for.
fn placed(path: &Path, output: &Path) -> Result<PathBuf, Failure> {
    let placed = fs::read(path).and_then(|bytes| write_whole(output, &bytes));
    placed
        .map_err(|error| Failure::usage(format!("`{}` can't be written: {error}", output.display())))
        .map(|()| output.to_owned())
}

/// The component's path goes to standard output, so that a script can use it, and the rest beside it.
fn say(component: &Built, path: &Path, mode: Mode) -> Result<(), Failure> {
    if mode == Mode::Json {
        JsonLines::new(io::stdout()).line(&json!({
            "type": "built",
            "package": component.name,
            "language": component.language,
            "path": path,
            "bytes": component.size,
            "made": component.made,
        }))?;
        return Ok(());
    }
    if mode == Mode::Human {
        let Built { name, language, .. } = component;
        let done = if component.made { "built" } else { "nothing has changed in" };
        writeln!(io::stderr(), "{done} `{name}`: {language}, {} KiB", component.size.div_ceil(1024))?;
    }
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}

fn failure(error: Error) -> Failure {
    match error {
        Error::NoProject(_) => Failure::new(Exit::Usage, error),
        error => Failure::new(Exit::Component, error),
    }
}
