//! The documents keep their word: every command in them is run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there")
}

/// The text of every block that is marked as shell commands.
fn shell_blocks(document: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if line == "```sh" {
            blocks.push(lines.by_ref().take_while(|line| *line != "```").collect::<Vec<_>>().join("\n"));
        }
    }
    blocks
}

fn check(what: &str, output: &Output) {
    assert!(
        output.status.success(),
        "{what}\n{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A command as a person types it, with the folder of this test's program first in the path.
fn bash(script: &str, folder: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_cepa"));
    let bin = program.parent().expect("the program lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("CEPA", root())
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        // The host's own build has compiled there what every guest needs.
        .env("CEPA_GUEST_BUILD_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/../guests"))
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide"))
        .env_remove("CARGO")
        .output()
        .expect("bash starts")
}

#[test]
fn every_command_of_the_readme_works() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README is there");
    let gate: String = ["run", "figures"]
        .map(|name| std::fs::read_to_string(root().join(".ci").join(name)).expect("the script is there"))
        .concat();
    let mut count = 0;
    for command in shell_blocks(&readme).iter().flat_map(|block| block.lines()) {
        count += 1;
        match command.strip_prefix("cargo run --release -- ") {
            // The same program, built for tests: `.ci/figures` runs the first such line as it stands.
            Some(arguments) => check(command, &bash(&format!("cepa {arguments}"), &root())),
            None => assert!(gate.contains(command), "`{command}` is run neither here nor by `.ci/`"),
        }
    }
    assert!(count >= 5, "the README has {count} commands");
    assert!(gate.contains("cargo run --release --locked -- run examples/quickstart"));
}

#[test]
fn the_guide_leads_from_nothing_to_a_running_middleware() {
    let guide = std::fs::read_to_string(root().join("guest-sdk/rust/README.md")).expect("the guide is there");
    let blocks = shell_blocks(&guide);
    let (first, rest) = blocks.split_first().expect("the guide has commands");
    assert!(
        first.contains("cargo build --release"),
        "the first step builds the host, which cargo has done here"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let output = bash(&rest.join("\n"), folder.path());
    check("the guide", &output);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("Be brief. Say please."), "{said}");
}
