//! `cepa new`: what it writes can be tested, built and run as it stands.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::rig::{Done, program, run_in};

const HOOKS: [&str; 11] = [
    "on-reply",
    "on-reasoning",
    "on-model-call",
    "on-acting",
    "on-compress-context",
    "on-check-permission",
    "on-system-prompt",
    "on-events",
    "on-draft",
    "tool-source",
    "on-turn-end",
];

/// What a program came to in a folder.
fn ended(command: &mut Command, folder: &Path) -> Done {
    command.current_dir(folder).env_remove("CARGO").output().expect("the program ends").into()
}

#[test]
fn a_project_of_every_hook_is_formatted_tested_built_and_run() {
    let folder = TempDir::new().expect("a folder");
    let mut args = vec!["new", "say-please"];
    args.extend(HOOKS.iter().flat_map(|hook| ["--hook", hook]));
    let made = run_in(folder.path(), &args, b"").ends_with(0);
    assert!(made.out.starts_with("`say-please` is ready:\n  cd say-please\n"), "{made:#?}");
    let project = folder.path().join("say-please");
    ended(Command::new("rustfmt").args(["--check", "--edition", "2024", "src/lib.rs"]), &project)
        .ends_with(0);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
    let tested =
        ended(Command::new("cargo").args(["test", "--quiet"]).env("CARGO_TARGET_DIR", target), &project);
    assert!(tested.ends_with(0).out.contains("12 passed"), "one test a hook, and one of the configuration");
    ended(program(&project).args(["build", ".", "--output", "say-please.wasm", "--quiet"]), &project)
        .ends_with(0);
    let shown = run_in(&project, &["inspect", "say-please.wasm"], b"").ends_with(0);
    for hook in HOOKS {
        assert!(shown.out.contains(hook), "{hook} in {shown:#?}");
    }
    let said = run_in(&project, &["run", ".", "Hello"], b"").ends_with(0);
    assert!(said.out.contains("Be brief. Say please."), "{said:#?}");
}

#[test]
fn what_can_not_be_made_is_explained_and_leaves_nothing() {
    let folder = TempDir::new().expect("a folder");
    std::fs::create_dir(folder.path().join("there")).expect("a folder");
    for (args, problem) in [
        (["new", "Say_Please"].as_slice(), "`Say_Please` can't name a middleware"),
        (&["new", "polite", "--hook", "on-replies"], "there is no hook `on-replies`"),
        (&["new", "there"], "`there` is there already"),
        (&["new", "polite", "--sdk", "nowhere"], "the SDK is not in `nowhere`"),
    ] {
        let done = run_in(folder.path(), args, b"").fails_with(2);
        assert!(done.err.contains(problem) && done.err.contains("hint: "), "{done:#?}");
    }
    let left: Vec<_> =
        folder.path().read_dir().expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["there"]);
}
