//! What can go wrong between a project and its component.

use std::io;
use std::path::{Path, PathBuf};

use crate::language::Language;

/// Why a project was not built. Each text says what, where and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder holds no project.
    #[error("`{0}` has neither a `Cargo.toml` nor a `middleware.toml`; `cepa new` begins a project")]
    NoProject(PathBuf),
    /// A crate was not built.
    #[error(transparent)]
    Rust(#[from] cepa_guest_build::Error),
    /// Something that the author has to put right: `FILE:LINE: what it is, and what to do`.
    #[error("{0}")]
    Mistake(String),
    /// A program that the language needs is not there, or too old.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A program failed at something that is not the author's to put right.
    #[error("`{program}` failed: {reason}")]
    Program {
        /// What was run.
        program: String,
        /// What it said.
        reason: String,
    },
    /// The bindings or the component could not be made.
    #[error("the component of `{project}` can't be made: {reason}")]
    Encode {
        /// The project's name.
        project: String,
        /// What is wrong.
        reason: String,
    },
    /// The folder is none of a project.
    #[error("`{folder}` has more than {most} files; name the folder of one project")]
    TooManyFiles {
        /// Where they were counted.
        folder: PathBuf,
        /// The most that a project has.
        most: usize,
    },
    /// A file could not be read or written.
    #[error("`{path}`: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
}

/// A program that a language needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}, and {language} needs it; {how}")]
pub struct Missing {
    /// What is the matter with which program.
    pub problem: String,
    /// What needs it.
    pub language: Language,
    /// How to get it.
    pub how: String,
}

impl Error {
    /// A mistake at a line of a file.
    pub(crate) fn at(file: &Path, line: usize, what: impl std::fmt::Display) -> Self {
        Self::Mistake(format!("{}:{line}: {what}", file.display()))
    }

    /// The bindings or the component of a project, which could not be made.
    pub(crate) fn encode<E: std::fmt::Display>(project: &str) -> impl Fn(E) -> Self {
        // With all causes, where the error has some.
        move |cause| Self::Encode { project: project.to_owned(), reason: format!("{cause:#}") }
    }

    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::File { path, cause }
    }
}
