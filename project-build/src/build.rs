//! One build: from a folder to its components.

use std::fs;
use std::path::PathBuf;

use cepa_guest_build::{Output, write_whole};

use crate::language::Language;
use crate::project::{MANIFEST, Project};
use crate::{Error, c, go, program, sdk, stamp, tools};

/// A build of the project in a folder.
#[derive(Clone, Debug)]
pub struct Build {
    folder: PathBuf,
    output: Output,
    install: bool,
}

/// A component that was built, or was there and is still what its project gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The project's name, or the crate's.
    pub name: String,
    /// The language.
    pub language: Language,
    /// The component's file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it was made anew. Cargo does not tell: a crate's always counts as made.
    pub made: bool,
}

impl Build {
    /// A build of the crate or project in `folder`, into its folder `target`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), output: Output::Captured, install: false }
    }

    /// Where the compiler's messages about a crate go.
    #[must_use]
    pub fn output(mut self, output: Output) -> Self {
        self.output = output;
        self
    }

    /// Whether what the language needs and is missing is installed first, in a folder of its own.
    #[must_use]
    pub fn install(mut self, install: bool) -> Self {
        self.install = install;
        self
    }

    /// Builds what has changed, and tells each step that takes long before it is done.
    ///
    /// # Errors
    /// What the author or the machine lacks. The component of an earlier build is left as it was.
    pub fn run(&self, tell: &mut dyn FnMut(&str)) -> Result<Vec<Built>, Error> {
        if self.folder.join(MANIFEST).is_file() {
            return Ok(vec![self.project(tell)?]);
        }
        if !self.folder.join("Cargo.toml").is_file() {
            return Err(Error::NoProject(self.folder.clone()));
        }
        let built = cepa_guest_build::Build::new(&self.folder).output(self.output).run()?;
        built.into_iter().map(|built| Built::new(built.package, Language::Rust, built.path, true)).collect()
    }

    fn project(&self, tell: &mut dyn FnMut(&str)) -> Result<Built, Error> {
        let project = Project::read(&self.folder)?;
        let path = project.folder.join("target").join(format!("{}.wasm", project.name));
        let made_of = stamp::of(&project)?;
        let made = !stamp::fits(&path, &made_of);
        if made {
            if self.install {
                tools::install(&project, tell)?;
            }
            let component = make(&project, tell)?;
            stamp::clear(&path);
            write_whole(&path, &component).map_err(Error::file(&path))?;
            stamp::keep(&path, &made_of)?;
        }
        Built::new(project.name, project.language, path, made)
    }
}

impl Built {
    fn new(name: String, language: Language, path: PathBuf, made: bool) -> Result<Self, Error> {
        let size = fs::metadata(&path).map_err(Error::file(&path))?.len();
        Ok(Self { name, language, path, size, made })
    }
}

/// The component of a project.
fn make(project: &Project, tell: &mut dyn FnMut(&str)) -> Result<Vec<u8>, Error> {
    let work = tempfile::Builder::new().prefix("cepa-build-").tempdir();
    let work = work.map_err(Error::file(std::env::temp_dir()))?;
    let language = project.language.sdk();
    sdk::unpack(&format!("guest-sdk/{language}"), &work.path().join("guest-sdk").join(language))?;
    match project.language {
        Language::C => c::make(project, work.path(), tell),
        Language::Go => go::make(project, work.path()),
        _ => {
            let made = work.path().join("made.wasm");
            program::make(project, work.path(), &made)?;
            fs::read(&made).map_err(Error::file(made))
        }
    }
}
