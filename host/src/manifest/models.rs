//! `[models.NAME]`.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::layers::no_file;
use super::problem::Problem;
use super::reader::{At, Reader};
use super::section::Section;
use super::{server, units};
use crate::secret::{Secret, shown_address};

/// A model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSpec {
    /// Its name in the manifest.
    pub alias: String,
    /// Who serves it.
    pub provider: ProviderSpec,
    /// What is sent with each request unless a layer sets it.
    pub parameters: Map<String, Value>,
    /// The size of its context.
    pub context_tokens: Option<u32>,
}

/// Who serves a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderSpec {
    /// A server that speaks the Chat Completions protocol.
    OpenAi(ServerSpec),
    /// A server that speaks the Anthropic Messages protocol.
    Anthropic(ServerSpec),
    /// A file of turns.
    Scripted {
        /// The file.
        script: PathBuf,
    },
}

/// A server of models.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerSpec {
    /// Its address; the one of the protocol's inventor when absent.
    pub base_url: Option<String>,
    /// The model's name there.
    pub model: String,
    /// The key; local servers need none.
    pub api_key: Option<Secret>,
    /// Headers for every request.
    pub headers: Vec<(String, Secret)>,
    /// How long to wait for it.
    pub timeouts: Timeouts,
}

impl fmt::Debug for ServerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSpec")
            .field("base_url", &self.base_url.as_deref().map(shown_address))
            .field("model", &self.model)
            .field("api_key", &self.api_key)
            .field("headers", &self.headers)
            .field("timeouts", &self.timeouts)
            .finish()
    }
}

/// How long to wait for a model. An absent one stands for the client's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Option<Duration>,
    /// From the request to the first byte of the answer; the connection is made in this time.
    pub first_byte: Option<Duration>,
    /// From one piece of the answer to the next.
    pub idle: Option<Duration>,
    /// For the whole answer.
    pub total: Option<Duration>,
}

/// The models, and every alias that was written, the unusable ones too.
pub(super) struct Models {
    pub(super) specs: Vec<ModelSpec>,
    pub(super) aliases: Vec<String>,
}

pub(super) fn read(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Models {
    root.require("models", "add a table like `[models.main]` with a `provider`");
    let sections = root.named_tables(reader, "models");
    let aliases = sections.iter().map(|(alias, _)| alias.value.clone()).collect();
    let specs =
        sections.into_iter().filter_map(|(alias, section)| read_one(reader, alias, section)).collect();
    Models { specs, aliases }
}

#[derive(Clone, Copy)]
enum Kind {
    OpenAi,
    Anthropic,
    Scripted,
}

const KINDS: [(&str, Kind); 3] =
    [("openai", Kind::OpenAi), ("anthropic", Kind::Anthropic), ("scripted", Kind::Scripted)];

fn read_one(reader: &mut Reader<'_>, alias: At<String>, section: Section<'_>) -> Option<ModelSpec> {
    let mut section = section.guarded();
    section.require("provider", "add a line like `provider = \"openai\"`");
    let kind = section.word(reader, "provider", &KINDS);
    let provider = match kind {
        Some(Kind::Scripted) => scripted(reader, &mut section),
        Some(Kind::OpenAi) => served(reader, &mut section, true).map(ProviderSpec::OpenAi),
        Some(Kind::Anthropic) => served(reader, &mut section, true).map(ProviderSpec::Anthropic),
        None => {
            // Read all the same, so that keys stay hidden and no known key is called unknown.
            let _ = (section.value(reader, "script"), served(reader, &mut section, false));
            None
        }
    };
    let parameters = section.json(reader, "parameters");
    let context_tokens = section.count(reader, "context-tokens", 1);
    section.finish(reader);
    let parameters = match parameters {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    Some(ModelSpec { alias: alias.value, provider: provider?, parameters, context_tokens })
}

fn scripted(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<ProviderSpec> {
    section.require("script", "name the file of turns, as in `script = \"script.toml\"`");
    let script = section.filled_text(reader, "script")?;
    let path = reader.surroundings.folder.join(&script.value);
    if !path.is_file() {
        let problem =
            no_file(&path, "file").unwrap_or_else(|| format!("there is no file `{}`", path.display()));
        reader.report(Problem::at(script.span, problem).help("the path is relative to the manifest"));
        return None;
    }
    Some(ProviderSpec::Scripted { script: path })
}

fn served(reader: &mut Reader<'_>, section: &mut Section<'_>, whole: bool) -> Option<ServerSpec> {
    if whole {
        section.require("model", "name the model as its provider does, as in `model = \"smollm2\"`");
    }
    let base_url = server::address(reader, section, "base-url").map(|at| at.value);
    let model = section.filled_text(reader, "model");
    let api_key = server::api_key(reader, section);
    let headers = server::headers(reader, section);
    let timeouts = timeouts(reader, section);
    Some(ServerSpec { base_url, model: model?.value, api_key, headers, timeouts })
}

fn timeouts(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Timeouts {
    let Some(mut table) = section.table(reader, "timeouts") else { return Timeouts::default() };
    let timeouts = Timeouts {
        connect: table.parsed(reader, "connect", positive_duration),
        first_byte: table.parsed(reader, "first-byte", positive_duration),
        idle: table.parsed(reader, "idle", positive_duration),
        total: table.parsed(reader, "total", positive_duration),
    };
    table.finish(reader);
    timeouts
}

/// A duration that is not zero.
pub(super) fn positive_duration(text: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        Duration::ZERO => Err("it must be more than nothing".to_owned()),
        duration => Ok(duration),
    }
}
