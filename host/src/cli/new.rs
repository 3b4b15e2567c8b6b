//! `cepa new`: a project to begin a middleware with.

mod files;
mod krate;
mod sdk;
mod snippets;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cepa_project_build::{Language, NAME_MAX, is_name};
use serde_json::json;

use super::args::NewArgs;
use super::exit::{Exit, Failure};
use super::json::JsonLines;
use super::view::Mode;

use krate::Crate;
use sdk::SdkProject;
use snippets::{SNIPPETS, Snippet};

/// Writes the project, and says how to go on.
pub fn new(args: &NewArgs, mode: Mode) -> Result<Exit, Failure> {
    let name = name(&args.path)?;
    let hooks = hooks(&args.hook)?;
    match args.lang {
        Language::Rust => {
            Crate { name: &name, hooks, sdk: sdk_crate(args.sdk.as_deref())? }.write(&args.path)?;
        }
        language => {
            if args.sdk.is_some() {
                let problem = format!("`--sdk` is for Rust; the SDK for {language} comes with this program");
                return Err(Failure::usage(problem).hint("leave `--sdk` out"));
            }
            let hooks = hooks.iter().map(|snippet| snippet.hook).collect();
            SdkProject { name: &name, language, hooks }.write(&args.path)?;
        }
    }
    match mode {
        Mode::Json => JsonLines::new(io::stdout())
            .line(&json!({ "type": "created", "name": name, "path": args.path }))?,
        Mode::Quiet => {}
        Mode::Human => {
            let path = args.path.display();
            let test = if args.lang == Language::Rust { "  cargo test\n" } else { "" };
            writeln!(
                io::stdout(),
                "`{path}` is ready:\n  cd {path}\n{test}  cepa build . --output {name}.wasm\n  cepa run . Hello"
            )?;
        }
    }
    Ok(Exit::Success)
}

/// The middleware's name: that of its folder.
fn name(path: &Path) -> Result<String, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if is_name(&name) {
        return Ok(name);
    }
    let problem = format!("`{name}` can't name a middleware");
    let hint = format!(
        "words of small letters and digits, with `-` between them, {NAME_MAX} bytes at most: `say-please`"
    );
    Err(Failure::usage(problem).hint(hint))
}

/// The pieces for the hooks that were named, in the contract's order.
fn hooks(names: &[String]) -> Result<Vec<&'static Snippet>, Failure> {
    if let Some(unknown) = names.iter().find(|name| SNIPPETS.iter().all(|snippet| snippet.hook != **name)) {
        let known: Vec<&str> = SNIPPETS.iter().map(|snippet| snippet.hook).collect();
        let hint = format!("the hooks are {}", known.join(", "));
        return Err(Failure::usage(format!("there is no hook `{unknown}`")).hint(hint));
    }
    Ok(SNIPPETS.iter().filter(|snippet| names.iter().any(|name| name == snippet.hook)).collect())
}

/// Where the crate of the Rust SDK is: where it was said to be, or in the checkout that this program was built in.
fn sdk_crate(said: Option<&Path>) -> Result<PathBuf, Failure> {
    let folder = said.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("guest-sdk").join("rust"),
        Path::to_owned,
    );
    let found = folder.canonicalize().ok().filter(|folder| folder.join("Cargo.toml").is_file());
    found.ok_or_else(|| {
        Failure::usage(format!("the SDK is not in `{}`", folder.display()))
            .hint("name its folder with `--sdk`: `guest-sdk/rust` in a checkout of Cepa")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_cargo_and_the_manifest_take() {
        for good in ["polite", "say-please", "v2-filter", "somewhere/else/polite"] {
            assert!(name(Path::new(good)).is_ok(), "{good}");
        }
        for bad in
            ["", "..", "Polite", "say_please", "say--please", "-a", "a-", "2fast", "ö", &"a".repeat(65)]
        {
            assert!(name(Path::new(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_hook_has_a_snippet_and_none_twice() {
        let names: Vec<&str> = SNIPPETS.iter().map(|snippet| snippet.hook).collect();
        let hooks: Vec<&str> = cepa::chain::HookKind::ALL.iter().map(|hook| hook.name()).collect();
        assert_eq!(names, hooks);
    }
}
