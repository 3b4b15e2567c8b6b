//! Changing files: all or nothing, within writable mounts alone.

use cepa::workspace::{Cause, EntryKind, WorkspaceError};

use crate::rig::Rig;

fn cause<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> Cause {
    result.unwrap_err().cause
}

#[test]
fn a_file_is_made_replaced_and_added_to() {
    let rig = Rig::new();
    let space = &rig.workspace;
    space.write("work/a", b"one").unwrap();
    space.write("work/a", b"two, longer").unwrap();
    space.append("work/a", b"!").unwrap();
    space.append("work/b", b"begun").unwrap();
    assert_eq!((rig.get("work/a"), rig.get("work/b")), ("two, longer!".to_owned(), "begun".to_owned()));
    assert_eq!(rig.names("work"), ["a", "b"], "nothing is left of the way there");
}

#[test]
fn a_folder_is_made_with_those_above_it_and_one_that_is_there_is_no_error() {
    let rig = Rig::new();
    let space = &rig.workspace;
    assert_eq!(cause(space.write("work/a/b/c", b"")), Cause::NotFound);
    space.create_folder("work/a/b").unwrap();
    space.create_folder("work/a/b").unwrap();
    space.write("work/a/b/c", b"").unwrap();
    assert_eq!(cause(space.create_folder("work/a/b/c")), Cause::NotAFolder);
    assert_eq!(cause(space.create_folder("work/a/b/c/d")), Cause::NotAFolder);
    assert_eq!(cause(space.write("work/a", b"")), Cause::NotAFile);
}

#[test]
fn a_file_and_an_empty_folder_are_removed() {
    let rig = Rig::new();
    let space = &rig.workspace;
    space.create_folder("work/a").unwrap();
    space.write("work/a/b", b"").unwrap();
    assert_eq!(cause(space.remove("work/a")), Cause::NotEmpty);
    space.remove("work/a/b").unwrap();
    space.remove("work/a").unwrap();
    assert_eq!(cause(space.remove("work/a")), Cause::NotFound);
    assert_eq!(rig.names("work"), [""; 0]);
}

#[test]
fn a_move_stays_in_its_mount_and_takes_no_place() {
    let rig = Rig::new();
    let space = &rig.workspace;
    space.create_folder("work/a/deep").unwrap();
    space.write("work/a/file", b"content").unwrap();
    space.rename("work/a", "work/b").unwrap();
    assert_eq!(rig.get("work/b/file"), "content");
    space.write("work/other", b"other").unwrap();
    assert_eq!(cause(space.rename("work/b/file", "work/other")), Cause::Exists);
    assert_eq!(rig.get("work/other"), "other");
    assert_eq!(cause(space.rename("work/b", "work/b/deep/b")), Cause::IntoItself);
    assert_eq!(cause(space.rename("work/none", "work/c")), Cause::NotFound);
    assert_eq!(cause(space.rename("work/other", "work/none/c")), Cause::NotFound);
    assert_eq!(cause(space.rename("work/other", "skills/c")), Cause::ReadOnly);
}

#[test]
fn a_mount_for_reading_is_changed_by_nothing() {
    let rig = Rig::new();
    rig.put("skills/file", "kept");
    let refused: Vec<&str> = rig
        .try_all("skills/file")
        .into_iter()
        .filter(|(_, cause)| *cause == Some(Cause::ReadOnly))
        .map(|(what, _)| what)
        .collect();
    assert_eq!(refused, ["write", "append", "create-folder", "remove", "rename", "rename-to"]);
    assert_eq!(rig.get("skills/file"), "kept");
    assert!(rig.workspace.write("skills/new", b"").unwrap_err().is_denial());
}

#[test]
fn a_mount_itself_stays_where_it_is() {
    let rig = Rig::new();
    for (what, cause) in rig.try_all("work") {
        let refused = !["stat", "entries", "read", "read-part"].contains(&what);
        assert_eq!(cause == Some(Cause::MountItself), refused, "{what}: {cause:?}");
    }
    assert_eq!(rig.workspace.stat("work").unwrap().kind, EntryKind::Folder);
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_permissions_of_the_old_without_borrowed_rights() {
    use std::os::unix::fs::PermissionsExt as _;

    let rig = Rig::new();
    rig.put("work/run", "#!/bin/sh");
    let mode =
        |mode| std::fs::set_permissions(rig.host("work/run"), std::fs::Permissions::from_mode(mode)).unwrap();
    let seen = || std::fs::metadata(rig.host("work/run")).unwrap().permissions().mode() & 0o7777;
    mode(0o750);
    rig.workspace.write("work/run", b"#!/bin/sh\nexit").unwrap();
    assert_eq!(seen(), 0o750);
    mode(0o6755);
    rig.workspace.write("work/run", b"#!/bin/sh").unwrap();
    assert_eq!(seen(), 0o755, "nobody's rights are lent to what a layer wrote");
}

/// Whoever reads meanwhile finds the old file or the new one, whole.
#[test]
fn a_file_is_replaced_in_one_step() {
    let rig = Rig::new();
    let contents = ["a".repeat(100_000), "b".repeat(200_000)];
    rig.put("work/file", &contents[0]);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..100 {
                rig.workspace.write("work/file", contents[(round + 1) % 2].as_bytes()).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = rig.get("work/file");
            assert!(contents.contains(&seen), "a file of {} bytes", seen.len());
        }
    });
}
