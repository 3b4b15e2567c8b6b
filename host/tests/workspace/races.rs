//! Links that somebody puts in the way while a path is resolved.

#![cfg(target_os = "linux")]

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::rig::Rig;

/// How often a plain path must have been led out, and an attempt have met the folder, so that the race is one.
const ENOUGH: u32 = 50;
/// Rounds after which a race that never came about is given up.
const ROUNDS_MAX: u32 = 500_000;

/// Exchanges `work/way`, a folder, with a link to the folder around the mounts, again and again.
fn exchange(rig: &Rig, stop: &AtomicBool) {
    let (way, aside) = (rig.host("work/way"), rig.host("work/aside"));
    while !stop.load(Ordering::Relaxed) {
        renameat_with(CWD, &way, CWD, &aside, RenameFlags::EXCHANGE).unwrap();
    }
}

/// Attempts something again and again while the way is exchanged, until it has met both often enough. An attempt says
/// whether it met the folder.
fn raced(rig: &Rig, mut attempt: impl FnMut() -> bool) {
    rig.put("work/way/secret", "mine");
    symlink("..", rig.host("work/aside")).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| exchange(rig, &stop));
        let (mut led_out, mut met) = (0, 0);
        for _ in 0..ROUNDS_MAX {
            if led_out >= ENOUGH && met >= ENOUGH {
                break;
            }
            let plain = std::fs::read_to_string(rig.host("work/way/secret"));
            led_out += u32::from(plain.is_ok_and(|text| text == "hidden"));
            met += u32::from(attempt());
        }
        stop.store(true, Ordering::Relaxed);
        assert!(
            led_out >= ENOUGH && met >= ENOUGH,
            "led out {led_out} times, and met the folder {met} times"
        );
    });
}

#[test]
fn a_read_is_never_led_out() {
    let rig = Rig::new();
    raced(&rig, || {
        if let Ok(entries) = rig.workspace.entries("work/way", None, 10) {
            assert!(entries.iter().all(|entry| entry.name == "secret"), "{entries:?}");
        }
        let read = rig.read("work/way/secret");
        assert!(read.as_ref().is_err() || read.as_deref() == Ok("mine"), "{read:?}");
        read.is_ok()
    });
}

#[test]
fn a_change_is_never_led_out() {
    let rig = Rig::new();
    raced(&rig, || {
        let _ = rig.workspace.append("work/way/new", b"x");
        let _ = rig.workspace.rename("work/way/new", "work/way/newer");
        let _ = rig.workspace.remove("work/way/newer");
        let _ = rig.workspace.create_folder("work/way/folder");
        let _ = rig.workspace.remove("work/way/folder");
        rig.workspace.write("work/way/secret", b"mine").is_ok()
    });
    assert_eq!(rig.get("secret"), "hidden");
    let outside: Vec<_> =
        std::fs::read_dir(rig.host("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside.len(), 3, "{outside:?}");
}
