//! Takes up a manifest and its components whenever their files change.

use std::path::Path;
use std::time::Duration;

use cepa_project_build::{FileStamp, project_files};
use tokio::task::JoinHandle;

use crate::manifest::{Manifest, ManifestError};
use crate::policy::LayerSource;

use super::controller::Controller;

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watch(JoinHandle<()>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Looks at the files of a running agent each `period`, and swaps its layers when they have changed and then stood
/// still for a period: who writes a file slowly is not met half-way. What needs consent is refused and told.
///
/// To be called within a runtime.
pub fn watch(controller: Controller, period: Duration) -> Watch {
    Watch(tokio::spawn(run(controller, period)))
}

async fn run(controller: Controller, period: Duration) {
    let path = controller.loaded().manifest().path.clone();
    let mut seen = Seen::default();
    loop {
        tokio::time::sleep(period).await;
        let path = path.clone();
        let Ok(look) = tokio::task::spawn_blocking(move || Look::at(&path)).await else { return };
        match seen.news(look) {
            None => {}
            Some(Ok(manifest)) => controller.take_up(*manifest).await,
            Some(Err(error)) => controller.tell_unreadable(&error),
        }
    }
}

/// One look at the files.
struct Look {
    manifest: Result<Box<Manifest>, ManifestError>,
    files: Vec<FileStamp>,
}

/// What the looks so far have seen.
#[derive(Default)]
struct Seen {
    /// The files at the last look.
    last: Option<Vec<FileStamp>>,
    /// The files when they were last taken up.
    taken: Option<Vec<FileStamp>>,
    /// What was last told of a manifest that can't be read.
    told: Option<String>,
}

impl Seen {
    /// What is to be done after this look: a manifest to be taken up, or an error to be told.
    fn news(&mut self, look: Look) -> Option<Result<Box<Manifest>, ManifestError>> {
        let still = self.last.as_ref() == Some(&look.files);
        self.last = Some(look.files);
        match look.manifest {
            // Read at each look, since a file that it names may be what is missing.
            Err(error) => {
                self.taken = None;
                let text = error.to_string();
                let news = still && self.told.as_ref() != Some(&text);
                if news {
                    self.told = Some(text);
                }
                news.then_some(Err(error))
            }
            Ok(manifest) => {
                let news = still && self.taken != self.last;
                if news {
                    self.taken.clone_from(&self.last);
                    self.told = None;
                }
                news.then_some(Ok(manifest))
            }
        }
    }
}

impl Look {
    fn at(path: &Path) -> Self {
        let manifest = Manifest::load(path).map(Box::new);
        let mut files = vec![FileStamp::of(path.to_owned())];
        for layer in manifest.iter().flat_map(|manifest| manifest.all_layers()) {
            match &layer.source {
                LayerSource::Bundled(_) => {}
                LayerSource::File(path) => files.push(FileStamp::of(path.clone())),
                LayerSource::Project(folder) => files.append(&mut project_files(folder)),
            }
        }
        Self { manifest, files }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    const SOUND: &str =
        "[agent]\nname = \"a\"\nmodel = \"m\"\n[models.m]\nprovider = \"openai\"\nmodel = \"x\"\n";

    /// A look at a manifest of this text, and at its file in this state.
    fn look(text: &str, state: Option<u64>) -> Look {
        let path = Path::new("/nowhere/cepa.toml");
        let manifest = Manifest::parse(text.to_owned(), path, &|_| None).map(Box::new);
        let state = state.map(|inode| (SystemTime::UNIX_EPOCH, 1, inode));
        Look { manifest, files: vec![FileStamp { path: path.to_owned(), state }] }
    }

    /// What comes of these looks: a manifest (`+`), an error (`-`), or nothing.
    fn news(looks: &[(&str, Option<u64>)]) -> String {
        let mut seen = Seen::default();
        let each = looks.iter().map(|(text, state)| match seen.news(look(text, *state)) {
            None => '.',
            Some(Ok(_)) => '+',
            Some(Err(_)) => '-',
        });
        each.collect()
    }

    #[test]
    fn files_are_taken_up_once_they_stand_still() {
        let sound = |inode| (SOUND, Some(inode));
        assert_eq!(news(&[sound(1), sound(1), sound(1)]), ".+.");
        assert_eq!(news(&[sound(1), sound(2), sound(3), sound(4), sound(4), sound(4)]), "....+.");
        // Saved by putting another file in its place, which has the same time and size.
        assert_eq!(news(&[sound(1), sound(1), ("", None), sound(2), sound(2)]), ".+..+");
        assert_eq!(news(&[sound(1), sound(1), ("", None), sound(1), sound(1)]), ".+..+");
    }

    #[test]
    fn each_mistake_is_told_once_and_again_after_it_was_mended() {
        let (sound, first, second) = ((SOUND, Some(1)), ("[agnet]", Some(2)), ("[agent", Some(3)));
        assert_eq!(news(&[sound, sound, first, first, first, first]), ".+.-..");
        assert_eq!(news(&[first, first, second, second, second]), ".-.-.");
        assert_eq!(news(&[first, first, sound, sound, first, first]), ".-.+.-");
    }
}
