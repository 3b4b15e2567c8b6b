//! Transcripts: what is asked and what the model answers, and what is known to happen then.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::models::{ScriptError, ScriptedModel, WrittenTurn};
use crate::world::TestWorld;

/// The folder of a project's transcripts.
pub const TRANSCRIPTS: &str = "transcripts";

/// Prompts and the turns of a model, and maybe a file with what is known to happen.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// What reports call it: the name of its file.
    pub(super) name: String,
    pub(super) prompts: Vec<String>,
    /// The configuration of the layer, where it is not that of all.
    pub(super) config: Option<Value>,
    pub(super) model: ScriptedModel,
    /// Where it is written down what happens.
    pub(super) golden: Option<PathBuf>,
}

/// Why a transcript can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// A file or the folder can't be read.
    #[error("`{path}` can't be read: {cause}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// It is not TOML, or has unknown keys or values of a wrong type.
    #[error("transcript `{name}` can't be read: {cause}")]
    Syntax {
        /// The transcript.
        name: String,
        /// What and where.
        cause: toml::de::Error,
    },
    /// It asks nothing.
    #[error("transcript `{0}` has no prompt: write `prompt = \"...\"`, or a list of them")]
    NoPrompt(String),
    /// A turn asks for what can't be.
    #[error(transparent)]
    Turn(#[from] ScriptError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    prompt: Prompts,
    config: Option<Value>,
    #[serde(default)]
    turn: Vec<toml::Spanned<WrittenTurn>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
enum Prompts {
    One(String),
    Several(Vec<String>),
}

impl Transcript {
    /// Reads a transcript.
    ///
    /// # Errors
    /// When the text is none: with the line where TOML can say it.
    pub fn parse(name: &str, text: &str) -> Result<Self, TranscriptError> {
        let written: Written =
            toml::from_str(text).map_err(|cause| TranscriptError::Syntax { name: name.to_owned(), cause })?;
        let prompts = match written.prompt {
            Prompts::One(prompt) => vec![prompt],
            Prompts::Several(prompts) => prompts,
        };
        if prompts.is_empty() {
            return Err(TranscriptError::NoPrompt(name.to_owned()));
        }
        let model = ScriptedModel::of_turns(name, text, written.turn, Arc::new(TestWorld::new(1)))?;
        Ok(Self { name: name.to_owned(), prompts, config: written.config, model, golden: None })
    }

    /// The transcripts of a project, sorted by name: each `NAME.toml` in its folder, with what happens in `NAME.txt`
    /// beside it. None where there is no such folder.
    ///
    /// # Errors
    /// The first that can't be read or used.
    pub fn of_project(project: &Path) -> Result<Vec<Self>, TranscriptError> {
        let folder = project.join(TRANSCRIPTS);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).map_err(unreadable(&folder))? {
            let path = entry.map_err(unreadable(&folder))?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path);
            }
        }
        files.sort();
        files.iter().map(|path| Self::load(path)).collect()
    }

    fn load(path: &Path) -> Result<Self, TranscriptError> {
        let text = fs::read_to_string(path).map_err(unreadable(path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let golden = Some(path.with_extension("txt"));
        Ok(Self { golden, ..Self::parse(&name, &text)? })
    }
}

fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> TranscriptError {
    move |cause| TranscriptError::File { path: path.to_owned(), cause }
}
