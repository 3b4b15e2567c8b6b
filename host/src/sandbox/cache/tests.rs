use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use wasmtime::Engine;
use wasmtime::component::Component;

use super::{CompiledCache, sealed};

/// A component that differs from those with another mark, and its compiled form.
fn component(engine: &Engine, mark: u8) -> (Vec<u8>, Component) {
    let custom_section = [0, 2, 1, b'a' + mark];
    let bytes = [b"\0asm\x0d\0\x01\0".as_slice(), &custom_section].concat();
    let compiled = Component::from_binary(engine, &bytes).unwrap();
    (bytes, compiled)
}

struct Place {
    folder: TempDir,
    engine: Engine,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), engine: Engine::default() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn cache(&self) -> CompiledCache {
        CompiledCache::open(self.path()).unwrap()
    }

    fn file(&self, mark: u8) -> PathBuf {
        self.path().join(sealed::name(&self.engine, &component(&self.engine, mark).0))
    }

    fn put(&self, cache: &CompiledCache, mark: u8) {
        let (bytes, compiled) = component(&self.engine, mark);
        cache.put(&self.engine, &bytes, &compiled);
    }

    fn has(&self, cache: &CompiledCache, mark: u8) -> bool {
        cache.get(&self.engine, &component(&self.engine, mark).0).is_some()
    }

    /// Has the file look as if it was last used so long ago.
    fn age(&self, mark: u8, minutes: u64) {
        age(&self.file(mark), minutes);
    }

    /// The names in the folder, those of compiled components shortened.
    fn names(&self) -> BTreeSet<String> {
        let names = fs::read_dir(self.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }
}

fn age(path: &Path, minutes: u64) {
    let then = SystemTime::now() - Duration::from_secs(60 * minutes);
    File::open(path).unwrap().set_modified(then).unwrap();
}

#[test]
fn what_it_wrote_is_there_for_the_next_process_and_for_no_other_engine() {
    let place = Place::new();
    let cache = place.cache();
    assert!(!place.has(&cache, 0));
    place.put(&cache, 0);
    assert!(place.has(&place.cache(), 0));
    assert!(!place.has(&cache, 1), "another component");

    let mut config = wasmtime::Config::new();
    config.epoch_interruption(true);
    let other = Engine::new(&config).unwrap();
    assert!(cache.get(&other, &component(&other, 0).0).is_none(), "another configuration");
}

#[test]
fn a_damaged_file_is_discarded() {
    let place = Place::new();
    let cache = place.cache();
    place.put(&cache, 0);
    let whole = fs::read(place.file(0)).unwrap();
    let flipped = (0..whole.len()).step_by(whole.len() / 20).chain([whole.len() - 1]).map(|at| {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        damaged
    });
    let longer = [whole.as_slice(), b"x"].concat();
    let cut = [0, 7, 8, 39, 40, whole.len() - 1].map(|end| whole[..end].to_vec());
    for damaged in flipped.chain([longer]).chain(cut) {
        fs::write(place.file(0), damaged).unwrap();
        assert!(!place.has(&cache, 0));
        assert!(!place.file(0).exists());
    }
    place.put(&cache, 0);
    assert!(place.has(&cache, 0));
}

#[test]
fn a_file_of_another_name_or_key_is_discarded() {
    let place = Place::new();
    let cache = place.cache();
    place.put(&cache, 0);
    fs::copy(place.file(0), place.file(1)).unwrap();
    assert!(!place.has(&cache, 1), "what was compiled of another component");
    assert!(!place.file(1).exists());

    let theirs = Place::new();
    theirs.put(&theirs.cache(), 0);
    fs::copy(theirs.file(0), place.file(0)).unwrap();
    assert!(!place.has(&cache, 0), "a host with another key");
    assert!(!place.file(0).exists());
}

#[test]
fn a_damaged_key_is_made_anew_and_what_it_sealed_is_discarded() {
    let place = Place::new();
    place.put(&place.cache(), 0);
    fs::write(place.path().join("key"), b"short").unwrap();
    let cache = place.cache();
    assert!(!place.has(&cache, 0));
    place.put(&cache, 0);
    assert!(place.has(&place.cache(), 0));
}

#[test]
fn a_folder_that_others_could_write_to_is_closed_and_one_of_another_user_not_used() {
    let place = Place::new();
    place.put(&place.cache(), 0);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!place.has(&place.cache(), 0));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(place.path()), mode(&place.path().join("key"))), (0o700, 0o600));
    // Only the system's user can give a folder away.
    if chown(place.path(), Some(12_345), None).is_ok() {
        assert!(CompiledCache::open(place.path()).is_err(), "a folder of another user");
    }
}

#[test]
fn those_not_used_for_longest_go_first() {
    let place = Place::new();
    let size = {
        place.put(&place.cache(), 0);
        fs::metadata(place.file(0)).unwrap().len()
    };
    let cache = place.cache().bounded(2 * size + size / 2);
    place.put(&cache, 1);
    place.age(0, 30);
    place.age(1, 20);
    assert!(place.has(&cache, 0), "it was used just now");
    place.put(&cache, 2);
    let left: Vec<bool> = (0..3).map(|mark| place.has(&cache, mark)).collect();
    assert_eq!(left, [true, false, true]);

    let tiny = place.cache().bounded(size - 1);
    place.put(&tiny, 3);
    assert!(!place.file(3).exists(), "what has no room is not written");
    assert!(place.file(0).exists() && place.file(2).exists(), "and pushes nothing out");
}

#[test]
fn only_its_own_files_are_evicted_and_what_dead_writers_left() {
    let place = Place::new();
    let cache = place.cache();
    fs::create_dir(place.path().join("folder.cwasm")).unwrap();
    for name in ["notes.txt", "old.part", "new.part"] {
        fs::write(place.path().join(name), b"text").unwrap();
    }
    age(&place.path().join("old.part"), 90);
    place.put(&cache, 0);
    let mut names = place.names();
    assert!(names.remove(place.file(0).file_name().unwrap().to_str().unwrap()));
    assert_eq!(names, ["folder.cwasm", "key", "lock", "new.part", "notes.txt"].map(str::to_owned).into());
}

#[test]
fn several_that_fill_it_at_once_agree_on_a_key_and_lose_nothing() {
    let place = Place::new();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                // Each as a process of its own would.
                let cache = place.cache();
                for mark in 0..4 {
                    place.put(&cache, mark);
                    assert!(place.has(&cache, mark));
                }
            });
        }
    });
    let cache = place.cache();
    assert!((0..4).all(|mark| place.has(&cache, mark)));
    assert_eq!(place.names().len(), 4 + 2, "a file for each, the key and the lock: {:?}", place.names());
}

#[test]
fn a_folder_that_can_not_be_written_to_is_read_from() {
    let place = Place::new();
    place.put(&place.cache(), 0);
    // Where what is compiled is to go, there is something that can't be replaced, for the system's user as well.
    fs::create_dir(place.file(1)).unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let cache = place.cache();
    assert!(place.has(&cache, 0));
    place.put(&cache, 1);
    assert!(!place.has(&cache, 1));
    assert!(!place.names().iter().any(|name| name.contains(".part")), "no part of a file stays behind");
    assert_eq!(fs::metadata(place.path()).unwrap().permissions().mode() & 0o777, 0o500);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_folder_that_can_not_be_made_is_an_error() {
    let place = Place::new();
    let file = place.path().join("file");
    fs::write(&file, b"").unwrap();
    assert!(CompiledCache::open(file.join("cache")).is_err());
}
