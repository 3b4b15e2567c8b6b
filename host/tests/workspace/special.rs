//! Pipes, sockets and devices: shown, and never opened, so that nobody waits for them.

use std::os::unix::net::UnixListener;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use cepa::policy::MountSpec;
use cepa::workspace::{Cause, EntryKind, Folders, Workspace};

use crate::rig::{MAX, ROOM, Rig};

/// Long enough for any machine; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Fails instead of waiting for ever.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    wait.recv_timeout(PATIENCE).expect("it does not wait")
}

fn opens_nothing(rig: &Rig, path: &str) {
    assert_eq!(rig.workspace.stat(path).unwrap().kind, EntryKind::Other);
    let left: Vec<_> = rig
        .try_all(path)
        .into_iter()
        .filter(|(_, cause)| !matches!(cause, Some(Cause::NotAFile | Cause::NotAFolder)))
        .collect();
    let expected = [
        ("stat", None),
        ("remove", None),
        ("rename", Some(Cause::NotFound)),
        ("rename-to", Some(Cause::NotFound)),
    ];
    assert_eq!(left, expected);
}

#[test]
fn a_pipe_is_not_waited_for() {
    in_time(|| {
        let rig = Rig::new();
        assert!(Command::new("mkfifo").arg(rig.host("work/pipe")).status().unwrap().success());
        opens_nothing(&rig, "work/pipe");
    });
}

#[test]
fn a_socket_is_not_opened() {
    in_time(|| {
        let rig = Rig::new();
        let _listener = UnixListener::bind(rig.host("work/socket")).unwrap();
        opens_nothing(&rig, "work/socket");
    });
}

#[test]
fn a_device_is_neither_read_nor_written() {
    in_time(|| {
        let mount = MountSpec { name: "dev".to_owned(), folder: "/dev".into(), writable: true };
        let space = Workspace::open(&[mount], ROOM, &Folders::default()).unwrap();
        for path in ["dev/zero", "dev/null"] {
            assert_eq!(space.stat(path).unwrap().kind, EntryKind::Other);
            assert_eq!(space.read(path, MAX).unwrap_err().cause, Cause::NotAFile);
            assert_eq!(space.read_part(path, 0, 1, MAX).unwrap_err().cause, Cause::NotAFile);
            assert_eq!(space.append(path, b"x").unwrap_err().cause, Cause::NotAFile);
            assert_eq!(space.write(path, b"x").unwrap_err().cause, Cause::NotAFile);
        }
    });
}
