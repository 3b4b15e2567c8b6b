//! `[sessions]` and `[run]`.

use std::path::PathBuf;

use super::problem::Problem;
use super::reader::Reader;
use super::section::Section;

/// Where sessions are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionSpec {
    /// In a file.
    File(PathBuf),
    /// In memory, for as long as the program runs.
    Memory,
}

impl SessionSpec {
    /// The file of the documents that layers keep: beside the sessions, `sessions.index.db` for `sessions.db`. None for
    /// sessions in memory.
    pub fn index_file(&self) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(path.with_extension("index.db")),
            Self::Memory => None,
        }
    }
}

/// The file of sessions when the manifest names none, from its folder.
const FILE_DEFAULT: &str = ".cepa/sessions.db";

pub(super) fn read(reader: &mut Reader<'_>, root: &mut Section<'_>) -> SessionSpec {
    let file = |reader: &Reader<'_>, path: &str| SessionSpec::File(reader.surroundings.folder.join(path));
    let Some(mut section) = root.table(reader, "sessions") else { return file(reader, FILE_DEFAULT) };
    let path = section.filled_text(reader, "path");
    let memory = section.flag(reader, "memory").filter(|memory| memory.value);
    section.finish(reader);
    match (path, memory) {
        (Some(path), Some(memory)) => {
            let message = "`path` and `memory` exclude each other";
            reader.report(Problem::at(memory.span, message).label(path.span, "the other one"));
            SessionSpec::Memory
        }
        (Some(path), None) => file(reader, &path.value),
        (None, Some(_)) => SessionSpec::Memory,
        (None, None) => file(reader, FILE_DEFAULT),
    }
}

pub(super) fn read_prompt(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Option<String> {
    let mut section = root.table(reader, "run")?;
    let prompt = section.filled_text(reader, "prompt");
    section.finish(reader);
    Some(prompt?.value)
}
