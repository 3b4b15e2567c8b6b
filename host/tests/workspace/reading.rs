//! Reading: whole files, parts, folders, and what is refused before it is read.

use cepa::error::{Error, ErrorKind};
use cepa::policy::MountSpec;
use cepa::workspace::{Cause, ENTRIES_MAX, EntryKind, Folders, Workspace};

use crate::rig::{MAX, ROOM, Rig};

#[test]
fn files_and_folders_are_read() {
    let rig = Rig::new();
    rig.put("skills/letters/greeting.md", "Dear reader");
    rig.put("skills/notes.md", "none");
    assert_eq!(rig.read("skills/letters/greeting.md").unwrap(), "Dear reader");
    assert_eq!(rig.names("skills"), ["letters", "notes.md"]);
    let kinds: Vec<EntryKind> =
        rig.workspace.entries("skills", None, 10).unwrap().iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [EntryKind::Folder, EntryKind::File]);
    let entry = rig.workspace.stat("skills/notes.md").unwrap();
    assert_eq!((entry.name.as_str(), entry.kind, entry.size), ("notes.md", EntryKind::File, 4));
    assert!(entry.modified_ms > 1_700_000_000_000, "{}", entry.modified_ms);
    let mount = rig.workspace.stat("skills").unwrap();
    assert_eq!((mount.name.as_str(), mount.kind, mount.size), ("skills", EntryKind::Folder, 0));
    assert_eq!(rig.workspace.mounts().collect::<Vec<_>>(), [("skills", false), ("work", true)]);
}

#[test]
fn a_part_is_shorter_only_where_the_file_ends() {
    let rig = Rig::new();
    rig.put("work/ten", "0123456789");
    let part = |offset, length| {
        String::from_utf8(rig.workspace.read_part("work/ten", offset, length, MAX).unwrap()).unwrap()
    };
    assert_eq!(part(0, 4), "0123");
    assert_eq!(part(4, 4), "4567");
    assert_eq!(part(8, 4), "89");
    assert_eq!(
        (part(10, 4), part(u64::MAX, u32::MAX), part(0, 0)),
        (String::new(), String::new(), String::new())
    );
}

/// The file has a size and no content on the disk: reading it would take its gibibyte of memory all the same.
#[test]
fn a_large_file_is_refused_by_its_size_and_read_in_parts() {
    let rig = Rig::new();
    let file = std::fs::File::create(rig.host("work/large")).unwrap();
    file.set_len(1 << 30).unwrap();
    let error = rig.workspace.read("work/large", MAX).unwrap_err();
    assert_eq!(error.cause, Cause::TooLarge { size: 1 << 30, allowed: MAX });
    assert_eq!(
        error.to_string(),
        "`work/large` has 1073741824 bytes to read, and 1048576 can be read at once: read it in parts"
    );
    let error = rig.workspace.read_part("work/large", 1, u32::MAX, MAX).unwrap_err();
    assert_eq!(error.cause, Cause::TooLarge { size: (1 << 30) - 1, allowed: MAX });
    assert_eq!(Error::from(error).kind, ErrorKind::Limit);
    assert_eq!(rig.workspace.read_part("work/large", (1 << 30) - 2, 10, MAX).unwrap(), [0, 0]);
    assert_eq!(rig.workspace.stat("work/large").unwrap().size, 1 << 30);
}

#[test]
fn a_folder_is_read_page_by_page_in_one_order() {
    let rig = Rig::new();
    for number in 0..25 {
        rig.put(&format!("work/many/{number:02}"), "");
    }
    let mut pages = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = rig.workspace.entries("work/many", after.as_deref(), 10).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.name.clone());
        pages.push(page.into_iter().map(|entry| entry.name).collect::<Vec<_>>());
    }
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [10, 10, 5]);
    let names: Vec<String> = (0..25).map(|number| format!("{number:02}")).collect();
    assert_eq!(pages.concat(), names);
    assert_eq!(rig.workspace.entries("work/many", None, 0).unwrap(), []);
}

#[test]
fn a_page_is_bounded_whatever_was_asked_for() {
    let rig = Rig::new();
    let most = ENTRIES_MAX as usize;
    for number in 0..=most {
        rig.put(&format!("skills/{number:05}"), "");
    }
    assert_eq!(rig.workspace.entries("skills", None, u32::MAX).unwrap().len(), most);
}

#[test]
fn what_is_not_there_or_something_else_is_said() {
    let rig = Rig::new();
    rig.put("work/file", "");
    std::fs::create_dir(rig.host("work/folder")).unwrap();
    let cause = |path: &str| rig.read(path).unwrap_err().cause;
    assert_eq!(cause("work/none"), Cause::NotFound);
    assert_eq!(cause("work/none/file"), Cause::NotFound);
    assert_eq!(cause("work/folder"), Cause::NotAFile);
    assert_eq!(cause("work"), Cause::NotAFile);
    assert_eq!(cause("work/file/below"), Cause::NotAFolder);
    assert_eq!(rig.workspace.entries("work/file", None, 1).unwrap_err().cause, Cause::NotAFolder);
    let error = Error::from(rig.read("work/none").unwrap_err());
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::NotFound, "`work/none` is not there"));
}

#[test]
fn a_mount_that_was_not_granted_is_none_and_names_no_other() {
    let rig = Rig::new();
    for path in ["secret", "secret/file", "Work/file", "work2"] {
        let error = rig.read(path).unwrap_err();
        assert!(error.is_denial(), "{path}");
        assert_eq!(error.to_string(), format!("`{path}` is below no granted mount"));
    }
}

#[test]
fn a_mount_without_its_folder_is_named_to_the_operator() {
    let rig = Rig::new();
    let mount = MountSpec { name: "gone".to_owned(), folder: rig.host("gone"), writable: true };
    let error = Workspace::open(&[mount], ROOM, &Folders::default()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("folder `") && text.contains("gone` of mount `gone` can't be opened: "),
        "{text}"
    );
}
