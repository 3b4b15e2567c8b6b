//! How much a mount may hold: counted once, kept, and never passed.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use cepa::error::{Error, ErrorKind};
use cepa::policy::MountSpec;
use cepa::workspace::{Cause, Folders, Quota, Workspace, WorkspaceError};
use proptest::prelude::*;

use crate::rig::{ROOM, Rig};

fn quota(bytes: u64, files: u64) -> Quota {
    Quota { bytes, files }
}

fn full(limit: &'static str, used: u64, allowed: u64) -> Result<(), Cause> {
    Err(Cause::Full { limit, used, allowed })
}

fn came_to(result: Result<(), WorkspaceError>) -> Result<(), Cause> {
    result.map_err(|error| error.cause)
}

/// Bytes and entries below a folder, as the system counts them.
fn real(folder: &Path) -> (u64, u64) {
    let mut sum = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let (path, metadata) = entry.map(|entry| (entry.path(), entry.metadata().unwrap())).unwrap();
        let below = if metadata.is_dir() { real(&path) } else { (metadata.len(), 0) };
        sum = (sum.0 + below.0, sum.1 + below.1 + 1);
    }
    sum
}

#[test]
fn bytes_are_counted_with_what_was_there() {
    let rig = Rig::with_quota(quota(100, 10));
    rig.put("work/deep/old", &"x".repeat(60));
    let space = &rig.workspace;
    assert_eq!(came_to(space.write("work/a", &[0; 41])), full("workspace-bytes", 101, 100));
    assert!(!rig.host("work/a").exists());
    space.write("work/a", &[0; 40]).unwrap();
    assert_eq!(came_to(space.append("work/a", &[0; 1])), full("workspace-bytes", 101, 100));
    space.write("work/a", &[0; 30]).unwrap();
    space.append("work/a", &[0; 10]).unwrap();
    assert_eq!(came_to(space.append("work/b", &[0; 1])), full("workspace-bytes", 101, 100));
    assert!(!rig.host("work/b").exists(), "no empty file is left");
    space.remove("work/deep/old").unwrap();
    space.append("work/b", &[0; 60]).unwrap();
}

#[test]
fn every_name_counts_as_a_file() {
    let rig = Rig::with_quota(quota(100, 4));
    let space = &rig.workspace;
    space.create_folder("work/a/b").unwrap();
    space.write("work/a/b/c", b"").unwrap();
    space.append("work/d", b"").unwrap();
    assert_eq!(came_to(space.write("work/e", b"")), full("workspace-files", 5, 4));
    assert_eq!(came_to(space.create_folder("work/e")), full("workspace-files", 5, 4));
    space.write("work/d", b"a file that is there needs no more room").unwrap();
    space.remove("work/a/b/c").unwrap();
    space.rename("work/d", "work/a/b/d").unwrap();
    space.create_folder("work/e").unwrap();
    assert_eq!(came_to(space.create_folder("work/f")), full("workspace-files", 5, 4));
}

#[test]
fn a_full_mount_can_be_made_emptier() {
    let rig = Rig::with_quota(quota(10, 3));
    for name in ["a", "b", "c", "d", "e"] {
        rig.put(&format!("work/{name}"), &name.repeat(10));
    }
    let space = &rig.workspace;
    assert_eq!(came_to(space.append("work/a", b"x")), full("workspace-bytes", 41, 10), "counting ends early");
    space.write("work/a", b"less").unwrap();
    for name in ["c", "d", "e"] {
        space.remove(&format!("work/{name}")).unwrap();
    }
    assert_eq!(came_to(space.write("work/f", b"")), Ok(()));
    assert_eq!(came_to(space.write("work/g", b"")), full("workspace-files", 4, 3));
}

#[test]
fn what_others_remove_makes_room() {
    let rig = Rig::with_quota(quota(10, 10));
    rig.workspace.write("work/a", &[0; 10]).unwrap();
    assert_eq!(came_to(rig.workspace.write("work/b", b"x")), full("workspace-bytes", 11, 10));
    std::fs::remove_file(rig.host("work/a")).unwrap();
    rig.workspace.write("work/b", &[0; 10]).unwrap();
}

#[test]
fn layers_of_one_folder_share_its_count_and_each_has_its_quota() {
    let rig = Rig::new();
    let folders = Folders::default();
    let (small, large) = (rig.again(quota(10, 5), &folders), rig.again(quota(20, 5), &folders));
    small.write("work/a", &[0; 10]).unwrap();
    large.write("work/b", &[0; 10]).unwrap();
    assert_eq!(came_to(large.append("work/b", b"x")), full("workspace-bytes", 21, 20));
    assert_eq!(came_to(small.append("work/a", b"x")), full("workspace-bytes", 21, 10));
}

#[test]
fn folders_that_lie_in_one_another_are_not_both_changed() {
    let rig = Rig::new();
    std::fs::create_dir(rig.host("work/sub")).unwrap();
    let folders = Folders::default();
    let open = |name: &str, writable| {
        let mount = MountSpec { name: "m".to_owned(), folder: rig.host(name), writable };
        Workspace::open(&[mount], ROOM, &folders)
    };
    let inner = open("work/sub", true).unwrap();
    for outer in ["work", "work/sub/.."] {
        let error = open(outer, true).unwrap_err().to_string();
        assert!(
            error.contains(" of mount `m` and folder `") && error.contains("lie one in the other"),
            "{error}"
        );
    }
    open("work", false).unwrap();
    let beside = open("skills", true).unwrap();
    drop(inner);
    let outer = open("work", true).unwrap();
    assert!(open("work/sub", true).is_err());
    open("work/sub", false).unwrap();
    drop((outer, beside));
}

#[test]
fn a_file_that_is_only_read_has_no_quota() {
    let rig = Rig::with_quota(quota(0, 0));
    rig.put("skills/large", "far too much");
    assert_eq!(rig.read("skills/large").unwrap(), "far too much");
}

#[test]
fn a_quota_is_a_limit_to_the_guest_and_names_its_number() {
    let rig = Rig::with_quota(quota(10, 10));
    let error = Error::from(rig.workspace.write("work/a", &[0; 11]).unwrap_err());
    assert_eq!((error.kind, error.code.as_str()), (ErrorKind::Limit, "workspace-bytes"));
    assert_eq!(
        error.message,
        "`work/a` has no room: limit `workspace-bytes` of its mount reached: 11 of 10 allowed"
    );
}

#[cfg(unix)]
#[test]
fn a_link_counts_as_a_name_and_not_as_what_it_leads_to() {
    let rig = Rig::with_quota(quota(10, 3));
    rig.put("large", &"x".repeat(100));
    std::os::unix::fs::symlink("../large", rig.host("work/link")).unwrap();
    std::os::unix::fs::symlink(".", rig.host("work/loop")).unwrap();
    rig.workspace.write("work/a", &[0; 10]).unwrap();
    assert_eq!(came_to(rig.workspace.write("work/b", b"")), full("workspace-files", 4, 3));
}

/// Eight threads of two layers write at once: exactly as many files come to be as there is room for.
#[test]
fn a_quota_holds_whoever_writes_at_once() {
    let rig = Rig::new();
    let folders = Folders::default();
    let spaces = [rig.again(quota(25_500, 1_000), &folders), rig.again(quota(25_500, 1_000), &folders)];
    let written = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (space, written) = (&spaces[thread % 2], &written);
            scope.spawn(move || {
                for round in 0..10 {
                    let path = format!("work/{thread}-{round}");
                    match came_to(space.write(&path, &[0; 1_000])) {
                        Ok(()) => written.fetch_add(1, Ordering::Relaxed),
                        error => {
                            assert_eq!(error, full("workspace-bytes", 26_000, 25_500));
                            continue;
                        }
                    };
                }
            });
        }
    });
    assert_eq!(written.into_inner(), 25);
    assert_eq!(real(&rig.host("work")), (25_000, 25));
}

/// One change of the files of a small world.
#[derive(Clone, Debug)]
enum Change {
    Write(u8, u8),
    Append(u8, u8),
    CreateFolder(u8),
    Remove(u8),
    Rename(u8, u8),
    /// Somebody else removes a file.
    Meddle(u8),
}

fn path(number: u8) -> String {
    format!("work/{}", ["a", "b", "c", "a/a", "a/b", "b/a"][usize::from(number) % 6])
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<u8>(), 0_u8..40).prop_map(|(place, bytes)| Change::Write(place, bytes)),
        (any::<u8>(), 0_u8..20).prop_map(|(place, bytes)| Change::Append(place, bytes)),
        any::<u8>().prop_map(Change::CreateFolder),
        any::<u8>().prop_map(Change::Remove),
        (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Change::Rename(from, to)),
        any::<u8>().prop_map(Change::Meddle),
    ]
}

fn apply(rig: &Rig, change: &Change) -> Result<(), Cause> {
    let space = &rig.workspace;
    came_to(match change {
        Change::Write(place, bytes) => space.write(&path(*place), &vec![0; (*bytes).into()]),
        Change::Append(place, bytes) => space.append(&path(*place), &vec![0; (*bytes).into()]),
        Change::CreateFolder(place) => space.create_folder(&path(*place)),
        Change::Remove(place) => space.remove(&path(*place)),
        Change::Rename(from, to) => space.rename(&path(*from), &path(*to)),
        Change::Meddle(place) => {
            let _ = std::fs::remove_file(rig.host(&path(*place)));
            Ok(())
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is done, no quota is passed, and what is refused as too much would have been.
    #[test]
    fn a_quota_is_neither_passed_nor_felt_too_early(changes in prop::collection::vec(change(), 1..60)) {
        let quota = quota(60, 4);
        let rig = Rig::with_quota(quota);
        for change in changes {
            let before = real(&rig.host("work"));
            let outcome = apply(&rig, &change);
            let (bytes, files) = real(&rig.host("work"));
            prop_assert!(bytes <= quota.bytes && files <= quota.files, "{change:?}: {bytes} {files}");
            if let Err(Cause::Full { limit, used, .. }) = outcome {
                let there = if limit == "workspace-bytes" { before.0 } else { before.1 };
                prop_assert!(used > there && used - there <= 40, "{change:?}: {used} told, {there} there");
            }
        }
    }
}
