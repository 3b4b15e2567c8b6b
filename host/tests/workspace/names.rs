//! Names that are no path, or another one on some system.

use cepa::workspace::path::{NAME_BYTES_MAX, PATH_BYTES_MAX, PathProblem, check_name};
use cepa::workspace::{Cause, WorkspaceError};
use proptest::prelude::*;

use crate::rig::Rig;

/// Every function refuses the path for this reason, and nothing happens.
fn refused(rig: &Rig, path: &str, problem: &PathProblem) {
    for (what, cause) in rig.try_all(path) {
        assert_eq!(cause, Some(Cause::Path(problem.clone())), "{what} of {path:?}");
    }
}

#[test]
fn paths_of_another_form_are_refused_by_every_function() {
    let rig = Rig::new();
    rig.put("work/from", "");
    rig.put("work/file", "kept");
    let cases = [
        ("", PathProblem::Empty),
        ("/", PathProblem::Absolute),
        ("/etc/passwd", PathProblem::Absolute),
        ("//server/share", PathProblem::Absolute),
        ("work/", PathProblem::Slash),
        ("work/file/", PathProblem::Slash),
        ("work//file", PathProblem::EmptyName),
        ("work/..", PathProblem::Dots),
        ("work/../secret", PathProblem::Dots),
        ("work/a/../../secret", PathProblem::Dots),
        ("..", PathProblem::Dots),
        ("../secret", PathProblem::Dots),
        ("./work/file", PathProblem::Dots),
        ("work/./file", PathProblem::Dots),
        ("work/...", PathProblem::Dots),
        ("work\\..\\secret", PathProblem::Character('\\')),
        ("work/..\\secret", PathProblem::Character('\\')),
        ("C:\\Windows", PathProblem::Character(':')),
        ("C:/Windows", PathProblem::Character(':')),
        ("work/C:secret", PathProblem::Character(':')),
        ("work/file:stream", PathProblem::Character(':')),
        ("work/file::$DATA", PathProblem::Character(':')),
        ("work/file\0", PathProblem::Character('\0')),
        ("work/fi\0le", PathProblem::Character('\0')),
        ("work/fi\nle", PathProblem::Character('\n')),
        ("work/\u{1b}[2J", PathProblem::Character('\u{1b}')),
        ("work/file.", PathProblem::End),
        ("work/file ", PathProblem::End),
        ("work/.. ", PathProblem::End),
        ("work /file", PathProblem::End),
    ];
    for (path, problem) in cases {
        refused(&rig, path, &problem);
    }
    assert_eq!(rig.names("work"), ["file", "from"]);
    assert_eq!(rig.get("secret"), "hidden");
}

#[test]
fn devices_are_refused_in_any_case_and_with_any_end() {
    let rig = Rig::new();
    rig.put("work/from", "");
    let devices = [
        "con",
        "CON",
        "Prn",
        "aux",
        "NUL",
        "nul.txt",
        "nul.tar.gz",
        "NUL .txt",
        "com0",
        "COM1",
        "com9.log",
        "LPT1",
        "COM¹",
        "lpt².x",
        "COM³",
        "CONIN$",
        "conout$.txt",
        "clock$",
    ];
    for name in devices {
        refused(&rig, &format!("work/{name}"), &PathProblem::Device(name.to_owned()));
        refused(&rig, &format!("work/{name}/file"), &PathProblem::Device(name.to_owned()));
    }
    for name in ["console", "con1", "com10", "comx", "com", "nulls", "aux-1", "x.nul", "¹", ".con", "CONIN"]
    {
        rig.workspace.write(&format!("work/{name}"), b"").unwrap();
    }
}

#[test]
fn odd_names_of_every_system_are_kept() {
    let rig = Rig::new();
    for name in [
        "..a",
        ".hidden",
        "a b",
        "-rf",
        "~",
        "$HOME",
        "%TEMP%",
        "日本語",
        "e\u{301}",
        "🧅",
        "a'b\"c;d|e",
        "*?<>",
    ] {
        let path = format!("work/{name}");
        rig.workspace.write(&path, name.as_bytes()).unwrap();
        assert_eq!(rig.read(&path).unwrap(), name);
    }
}

#[test]
fn long_names_and_paths_are_refused_before_the_system_sees_them() {
    let rig = Rig::new();
    rig.put("work/from", "");
    let name = "n".repeat(NAME_BYTES_MAX);
    rig.workspace.write(&format!("work/{name}"), b"").unwrap();
    refused(&rig, &format!("work/{name}n"), &PathProblem::LongName(NAME_BYTES_MAX + 1));
    let path = format!("work/{}", "a/".repeat(PATH_BYTES_MAX));
    refused(&rig, &path, &PathProblem::Long(path.len()));
    let error = rig.read(&"x".repeat(1 << 20)).unwrap_err();
    assert!(error.path.len() < 300, "an error is not as long as the path");
}

/// The deepest path that is allowed works to its end, and what is in it can be removed again.
#[test]
fn the_deepest_path_works() {
    let rig = Rig::new();
    let deep = format!("work{}", "/d".repeat((PATH_BYTES_MAX - 4) / 2));
    rig.workspace.create_folder(&deep).unwrap();
    assert_eq!(rig.names(&deep), [""; 0]);
    rig.workspace.remove(&deep).unwrap();
}

/// On a file system that tells cases apart there are two files, on others one: nothing else differs.
#[test]
fn the_case_of_names_is_the_file_systems() {
    let rig = Rig::new();
    rig.workspace.write("work/Name", b"first").unwrap();
    rig.workspace.write("work/name", b"second").unwrap();
    let apart = rig.host("work").join("NAME").exists();
    let first = rig.read("work/Name").unwrap();
    assert_eq!(first, if apart { "second" } else { "first" });
}

proptest! {
    /// Whatever a guest writes is refused or stays below the mount.
    #[test]
    fn no_path_leads_out(path in "(work)?[/\\\\.:a-z \0-\u{1f}]{0,24}") {
        let rig = Rig::new();
        let _ = rig.workspace.create_folder(&path);
        let _ = rig.workspace.write(&path, b"mark");
        let _ = rig.workspace.append(&path, b"mark");
        let _ = rig.workspace.rename(&path, "work/moved");
        let outside: Vec<_> = std::fs::read_dir(rig.host("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        prop_assert_eq!(outside.len(), 3, "{:?}", outside);
        prop_assert_eq!(rig.get("secret"), "hidden");
    }

    #[test]
    fn any_text_is_a_name_or_a_problem_that_says_so(name in ".*") {
        match check_name(&name) {
            Ok(()) => prop_assert!(!name.contains(['/', '\\', ':', '\0']) && name != ".."),
            Err(problem) => prop_assert!(!problem.to_string().is_empty()),
        }
    }
}

#[test]
fn an_error_names_the_path_as_it_was_written() {
    let rig = Rig::new();
    let error: WorkspaceError = rig.read("work/../secret").unwrap_err();
    assert_eq!(error.to_string(), "`work/../secret` is no usable path: it has a name of dots alone");
}
