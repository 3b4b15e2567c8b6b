//! One build: which crates, where from, where to.

use std::path::{Path, PathBuf};

use crate::{Error, cargo, encode, toolchain::Toolchain};

/// Where the compiler's messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Into the error, as a build script wants it.
    Captured,
    /// To the terminal as they come, as a person wants it.
    Terminal,
}

/// A build of one or of many guest crates.
#[derive(Clone, Debug)]
pub struct Build {
    folder: PathBuf,
    packages: Vec<String>,
    target_dir: PathBuf,
    out_dir: PathBuf,
    output: Output,
}

/// A guest that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The crate's name.
    pub package: String,
    /// The component's file.
    pub path: PathBuf,
}

impl Build {
    /// A build of the crate in `folder`, with its files below `folder/target/guests`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        // The nested cargo runs in the folder, where a relative path would mean another place.
        let folder = folder.into();
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        let target_dir = folder.join("target").join("guests");
        Self {
            out_dir: target_dir.join("components"),
            packages: Vec::new(),
            output: Output::Captured,
            target_dir,
            folder,
        }
    }

    /// Builds these crates of the folder's workspace instead, all in one run of cargo.
    #[must_use]
    pub fn packages(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.packages = names.into_iter().map(Into::into).collect();
        self
    }

    /// Where cargo keeps its artefacts. Never that of an outer cargo, which holds its lock.
    #[must_use]
    pub fn target_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.target_dir = folder.into();
        self
    }

    /// Where the components go, each as `PACKAGE.wasm`.
    #[must_use]
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out_dir = folder.into();
        self
    }

    /// Where the compiler's messages go.
    #[must_use]
    pub fn output(mut self, output: Output) -> Self {
        self.output = output;
        self
    }

    /// Compiles the crates and writes their components, in the order of their names.
    pub fn run(&self) -> Result<Vec<Component>, Error> {
        if !self.folder.join("Cargo.toml").is_file() {
            return Err(Error::NoCrate(self.folder.clone()));
        }
        let toolchain = Toolchain::find()?;
        let modules = cargo::compile(&cargo::Compile {
            folder: &self.folder,
            packages: &self.packages,
            target_dir: &toolchain.target_dir(&self.target_dir),
            toolchain: &toolchain,
            output: self.output,
        })?;
        self.check_all_there(&modules)?;
        modules.into_iter().map(|module| self.component(&module.package, &module.path)).collect()
    }

    fn check_all_there(&self, modules: &[cargo::Module]) -> Result<(), Error> {
        let built = |package: &String| modules.iter().any(|module| &module.package == package);
        if let Some(missing) = self.packages.iter().find(|package| !built(package)) {
            return Err(Error::NoModule(missing.clone()));
        }
        if modules.is_empty() {
            return Err(Error::NoModule(self.folder.display().to_string()));
        }
        Ok(())
    }

    fn component(&self, package: &str, module: &Path) -> Result<Component, Error> {
        let path = self.out_dir.join(format!("{package}.wasm"));
        encode::encode_file(package, module, &path)?;
        Ok(Component { package: package.to_owned(), path })
    }
}
