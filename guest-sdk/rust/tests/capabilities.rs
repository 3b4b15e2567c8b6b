//! Capabilities in the rig: files and documents in memory.

use cepa_sdk::rig::{Rig, with};
use cepa_sdk::{Error, ErrorKind, Middleware, NoConfig, workspace};

/// Does nothing by itself: what the tests use is around it.
struct Idle;

impl Middleware for Idle {
    type Config = NoConfig;

    fn new(_: NoConfig) -> Result<Self, Error> {
        Ok(Self)
    }
}

#[test]
fn files_are_kept_below_mounts() -> Result<(), Error> {
    Rig::<Idle>::new(NoConfig {})?;
    workspace::create_folder("work/notes/old")?;
    workspace::write("work/notes/a", b"one")?;
    workspace::append("work/notes/a", b", two")?;
    assert_eq!(workspace::read_text("work/notes/a")?, "one, two");
    assert_eq!(workspace::read_part("work/notes/a", 5, 9)?, b"two");
    let names: Vec<String> =
        workspace::all_entries("work/notes")?.into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["a", "old"]);
    workspace::rename("work/notes", "work/papers")?;
    assert_eq!(workspace::stat("work/papers/a")?.size, 8);
    let kind = |result: Result<(), Error>| result.err().map(|error| error.kind);
    assert_eq!(kind(workspace::write("work/notes/a", b"")), Some(ErrorKind::NotFound));
    assert_eq!(kind(workspace::write("other/a", b"")), Some(ErrorKind::Denied));
    assert_eq!(kind(workspace::write("work/../a", b"")), Some(ErrorKind::InvalidInput));
    assert_eq!(kind(workspace::remove("work/papers")), Some(ErrorKind::InvalidInput));
    with(|world| world.mounts.iter_mut().for_each(|mount| mount.writable = false));
    assert_eq!(kind(workspace::remove("work/papers/a")), Some(ErrorKind::Denied));
    Ok(())
}
