//! Links: those that stay in their mount are followed for reading, and no other is followed at all.

#![cfg(unix)]

use std::os::unix::fs::symlink;

use cepa::error::{Error, ErrorKind};
use cepa::workspace::{Cause, EntryKind};

use crate::rig::Rig;

/// A rig with this link in it, as the operator or an unpacked archive may have put it there.
fn linked(target: &str, link: &str) -> Rig {
    let rig = Rig::new();
    std::fs::create_dir(rig.host("work/folder")).unwrap();
    symlink(target, rig.host(link)).unwrap();
    rig
}

/// What each function came to at a path, those that were refused as leading out left away.
fn not_refused(rig: &Rig, path: &str) -> Vec<(&'static str, Option<Cause>)> {
    rig.try_all(path).into_iter().filter(|(_, cause)| *cause != Some(Cause::Escape)).collect()
}

#[test]
fn a_link_out_of_the_mount_is_not_followed() {
    let beside = Rig::new();
    let absolute = beside.host("secret");
    for target in
        ["../secret", "../work/../secret", "folder/../../secret", absolute.to_str().unwrap(), "/etc/passwd"]
    {
        let rig = linked(target, "work/link");
        let left = not_refused(&rig, "work/link");
        let expected = [
            ("write", Some(Cause::Link)),
            ("append", Some(Cause::Link)),
            ("remove", None),
            ("rename", Some(Cause::NotFound)),
            ("rename-to", Some(Cause::NotFound)),
        ];
        assert_eq!(left, expected, "{target}: the link itself is removed, and nothing else happens");
        assert_eq!(rig.get("secret"), "hidden");
    }
}

#[test]
fn a_folder_that_leads_out_of_the_mount_is_not_entered() {
    for target in ["..", "../work/..", "folder/../..", "/", "/tmp", "../skills"] {
        let rig = linked(target, "work/up");
        rig.put("skills/secret", "hidden");
        assert_eq!(not_refused(&rig, "work/up/secret"), [], "{target}");
        assert_eq!(not_refused(&rig, "work/up/new"), [], "{target}");
        assert_eq!(rig.workspace.entries("work/up", None, 10).unwrap_err().cause, Cause::Escape);
        assert_eq!((rig.get("secret"), rig.get("skills/secret")), ("hidden".to_owned(), "hidden".to_owned()));
        assert!(!rig.host("new").exists() && !rig.host("skills/new").exists());
    }
}

#[test]
fn a_link_of_links_is_followed_as_far_as_the_mount_goes() {
    let rig = linked("folder/second", "work/first");
    symlink("../../secret", rig.host("work/folder/second")).unwrap();
    assert_eq!(rig.read("work/first").unwrap_err().cause, Cause::Escape);
}

#[test]
fn a_link_that_stays_inside_is_read_and_not_written_through() {
    let rig = linked("folder/file", "work/link");
    rig.put("work/folder/file", "inside");
    assert_eq!(rig.read("work/link").unwrap(), "inside");
    assert_eq!(rig.workspace.stat("work/link").unwrap().kind, EntryKind::File);
    let entries = rig.workspace.entries("work", None, 10).unwrap();
    assert_eq!(
        entries.iter().map(|entry| entry.kind).collect::<Vec<_>>(),
        [EntryKind::Folder, EntryKind::Link]
    );
    assert_eq!(rig.workspace.write("work/link", b"").unwrap_err().cause, Cause::Link);
    assert_eq!(rig.workspace.append("work/link", b"").unwrap_err().cause, Cause::Link);
    rig.workspace.remove("work/link").unwrap();
    assert_eq!(rig.get("work/folder/file"), "inside");
}

/// Also where it points into the mount: what an absolute link means is not the mount's to say.
#[test]
fn an_absolute_link_is_not_followed() {
    let rig = Rig::new();
    rig.put("work/file", "inside");
    symlink(rig.host("work/file"), rig.host("work/link")).unwrap();
    assert_eq!(rig.read("work/link").unwrap_err().cause, Cause::Escape);
}

#[test]
fn a_link_that_is_moved_to_where_it_leads_out_is_not_followed_there() {
    let rig = linked("../file", "work/folder/link");
    rig.put("work/file", "inside");
    rig.put("file", "outside");
    assert_eq!(rig.read("work/folder/link").unwrap(), "inside");
    rig.workspace.rename("work/folder/link", "work/link").unwrap();
    assert_eq!(rig.read("work/link").unwrap_err().cause, Cause::Escape);
}

#[test]
fn a_link_to_itself_ends() {
    let rig = linked("loop", "work/loop");
    assert!(matches!(rig.read("work/loop").unwrap_err().cause, Cause::System(_)));
    assert!(matches!(rig.read("work/loop/file").unwrap_err().cause, Cause::System(_)));
}

#[test]
fn the_processes_own_links_are_not_followed() {
    let rig = linked("/proc/self/cwd", "work/cwd");
    symlink("/proc/self/fd/0", rig.host("work/stdin")).unwrap();
    assert_eq!(rig.workspace.entries("work/cwd", None, 10).unwrap_err().cause, Cause::Escape);
    assert_eq!(rig.read("work/stdin").unwrap_err().cause, Cause::Escape);
}

#[test]
fn nothing_outside_changes_through_a_hard_link() {
    let rig = Rig::new();
    std::fs::hard_link(rig.host("secret"), rig.host("work/linked")).unwrap();
    assert_eq!(rig.read("work/linked").unwrap(), "hidden", "it is a file of the mount like others");
    let error = rig.workspace.append("work/linked", b"more").unwrap_err();
    assert_eq!(error.cause, Cause::HardLink);
    rig.workspace.write("work/linked", b"mine").unwrap();
    assert_eq!((rig.get("work/linked"), rig.get("secret")), ("mine".to_owned(), "hidden".to_owned()));
    rig.workspace.append("work/linked", b"!").unwrap();
    assert_eq!((rig.get("work/linked"), rig.get("secret")), ("mine!".to_owned(), "hidden".to_owned()));
}

#[test]
fn an_escape_is_a_denial_that_names_no_path_of_the_host() {
    let rig = linked("../secret", "work/link");
    let error = rig.read("work/link").unwrap_err();
    assert!(error.is_denial());
    let error = Error::from(error);
    assert_eq!((error.kind, error.code.as_str()), (ErrorKind::Denied, "escape"));
    assert_eq!(error.message, "`work/link` leads out of its mount");
}
