//! From a project to a component: by command, and by a manifest.

use std::path::PathBuf;
use std::process::Stdio;

use crate::rig::{Done, Place, program, repository, run_in};

/// A crate that does not compile, beside a manifest that wants it.
fn broken() -> Place {
    let place = Place::new("[[middleware]]\nname = \"mine\"\nsource = \"mine\"\n");
    std::fs::create_dir_all(place.path().join("mine/src")).expect("a folder");
    let manifest =
        "[package]\nname = \"mine\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n";
    place
        .file("mine/Cargo.toml", manifest)
        .file("mine/src/lib.rs", "pub fn broken() -> u32 { missing_name }\n")
}

fn build(place: &Place, args: &[&str]) -> Done {
    let mut command = program(place.path());
    // The nested build finds its own cargo, as at a user's.
    let output = command.arg("build").args(args).env_remove("CARGO").stdin(Stdio::null()).output();
    output.expect("the program ends").into()
}

/// Every component below a folder, and every part of one.
fn components(place: &Place) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![place.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if ending == "wasm" || ending.starts_with("part-") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn a_project_is_built_inspected_and_run() {
    let place = Place::new("[[middleware]]\nname = \"t\"\nsource = \"t.wasm\"\n");
    let project = repository("middlewares/timing").display().to_string();
    let done = build(&place, &[&project, "--output", "t.wasm", "--quiet"]).ends_with(0);
    assert_eq!(done.out, "t.wasm\n");
    assert!(place.cepa("inspect t.wasm").ends_with(0).out.contains("on-reply"));
    let done = place.cepa("run . hello").ends_with(0);
    assert!(done.err.contains("\nt: reply `a`: "), "{done:#?}");
}

#[test]
fn a_manifest_may_name_a_project() {
    let project = repository("middlewares/timing").canonicalize().expect("it is there");
    let place =
        Place::new(&format!("[[middleware]]\nname = \"t\"\nsource = {:?}\n", project.display().to_string()));
    let done = place.cepa("run . hello").ends_with(0);
    assert_eq!(done.out, "got hello\n");
    assert!(done.err.contains("\nt: reply `a`: "), "{done:#?}");
}

#[test]
fn a_project_that_does_not_compile_is_one_error_and_leaves_nothing() {
    let place = broken().file("old.wasm", "the one from before");
    let done = build(&place, &["mine", "--output", "old.wasm", "--json"]);
    let done = Done { err: plain(&place, &done.err), ..done }.ends_with(65);
    let (first, rest) = done.err.split_once('\n').expect("several lines");
    assert_eq!(first, "error: the guest `DIR/mine` does not compile");
    assert!(done.out.starts_with("{\"type\":\"error\",\"code\":65,"), "{}", done.out);
    assert!(rest.contains("cannot find value `missing_name`"), "{rest}");
    let old = std::fs::read_to_string(place.path().join("old.wasm")).expect("it is still there");
    assert_eq!((old.as_str(), components(&place).len()), ("the one from before", 1));
}

#[test]
fn at_work_the_compiler_speaks_for_itself() {
    let place = broken();
    let done = build(&place, &["mine"]).ends_with(65);
    let error = plain(&place, &done.err);
    assert!(error.contains("cannot find value `missing_name`"), "{error}");
    assert!(error.ends_with("\nerror: the guest `DIR/mine` does not compile\n"), "{error}");
}

#[test]
fn a_manifest_whose_project_does_not_compile_is_one_error_at_its_line() {
    let place = broken();
    let done = place.cepa("run . hello").ends_with(65);
    let error = plain(&place, &done.err);
    let (shown, compiler) = error.split_once("\n\n").expect("two parts");
    assert_eq!(done.out, "");
    assert!(compiler.contains("cannot find value `missing_name`"), "{compiler}");
    assert_eq!(components(&place), Vec::<PathBuf>::new());
    insta::assert_snapshot!(shown, @r#"
    error: project `./mine` can't be built: the guest `DIR/mine` does not compile
     --> ./cepa.toml:9:10
      |
    9 | source = "mine"
      |          ^^^^^^
    "#);
}

#[test]
fn a_folder_that_is_no_project_is_told_how_to_begin_one() {
    let place = Place::new("");
    let done = build(&place, &["."]).fails_with(2);
    let told = "error: `.` has neither a `Cargo.toml` nor a `middleware.toml`; `cepa new` begins a project\n";
    assert_eq!(plain(&place, &done.err), told);
}

#[test]
fn a_component_is_shown_with_what_it_needs() {
    let done = run_in(&repository("."), &["inspect", "bundled:rate-limit"], b"").ends_with(0);
    assert!(done.out.contains("on-model-call") && done.out.contains("state"), "{done:#?}");
}

/// An error without the folder's name.
fn plain(place: &Place, error: &str) -> String {
    let folder = place.path().canonicalize().expect("a folder").display().to_string();
    error.replace(&folder, "DIR").replace(&place.path().display().to_string(), "DIR").replace("DIR/.", "DIR")
}
