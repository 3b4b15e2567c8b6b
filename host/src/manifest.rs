//! The manifest `cepa.toml`: which models, layers and tools an agent has, and what each may do.
//!
//! [`Manifest::load`] reads a file and gives plain values, or everything that is wrong with it at once.

mod agent;
mod expand;
mod layers;
mod mcp;
mod models;
mod mounts;
mod network;
mod permissions;
mod problem;
mod reader;
mod render;
mod secrets;
mod section;
mod server;
mod sessions;
mod sub_agents;
mod tools;
mod units;
mod values;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::de::DeTable;

pub use agent::AgentSpec;
pub use mcp::{McpSpec, McpTransport};
pub use models::{ModelSpec, ProviderSpec, ServerSpec, Timeouts};
pub use problem::{Label, ManifestError, Problem, SourceText, Span};
pub use sessions::SessionSpec;
pub use sub_agents::SubAgentSpec;
pub use units::size;
pub(crate) use words::suggestion;

use crate::agent::PermissionRules;
use crate::message::ToolDefinition;
use crate::policy::LayerSpec;
use expand::Surroundings;
use reader::Reader;
use section::Section;

/// The manifest's name in a folder.
pub const FILE_NAME: &str = "cepa.toml";

/// The largest manifest, in bytes: it is written by hand.
const SIZE_MAX: u64 = 1 << 20;

/// How many errors of the TOML syntax are shown: later ones mostly follow from earlier ones.
const SYNTAX_ERRORS_MAX: usize = 5;

/// A manifest, read and checked.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The file that it was read from.
    pub path: PathBuf,
    /// The agent itself.
    pub agent: AgentSpec,
    /// The models, in the order of the text.
    pub models: Vec<ModelSpec>,
    /// The layers, outermost first.
    pub layers: Vec<LayerSpec>,
    /// The agents that layers may run, in the order of the text.
    pub agents: Vec<SubAgentSpec>,
    /// The MCP servers.
    pub mcp: Vec<McpSpec>,
    /// The tools that a program outside runs.
    pub tools: Vec<ToolDefinition>,
    /// Which tool calls may run.
    pub permissions: PermissionRules,
    /// Where sessions are kept.
    pub sessions: SessionSpec,
    /// The prompt of `cepa run` when none is given.
    pub prompt: Option<String>,
    source: Arc<SourceText>,
    marks: BTreeMap<String, Span>,
}

impl Manifest {
    /// Reads a manifest, or the `cepa.toml` of a folder.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(path: &Path) -> Result<Self, ManifestError> {
        Self::load_with(path, &|name| std::env::var(name).ok())
    }

    /// The same with these variables in the place of the environment's.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load_with(path: &Path, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, ManifestError> {
        Self::load_file(path, variable, false)
    }

    /// The same of a project that may not be built yet: component files need not be there.
    ///
    /// # Errors
    /// Everything else that is wrong with it.
    pub fn load_unbuilt(path: &Path) -> Result<Self, ManifestError> {
        Self::load_file(path, &|name| std::env::var(name).ok(), true)
    }

    fn load_file(
        path: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
        unbuilt: bool,
    ) -> Result<Self, ManifestError> {
        let path = if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() };
        let text = read(&path).map_err(|problem| ManifestError {
            source_text: Arc::new(source_text(&path, String::new())),
            problems: vec![problem],
        })?;
        Self::parse_file(text, &path, variable, unbuilt)
    }

    /// Reads a manifest from its text. Relative paths start from the folder of `path`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(
        text: String,
        path: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ManifestError> {
        Self::parse_file(text, path, variable, false)
    }

    fn parse_file(
        text: String,
        path: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
        unbuilt: bool,
    ) -> Result<Self, ManifestError> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut reader = Reader {
            surroundings: Surroundings { variable, folder: &folder },
            problems: Vec::new(),
            marks: BTreeMap::new(),
            secrets: Vec::new(),
            unbuilt,
        };
        let (table, errors) = DeTable::parse_recoverable(&text);
        let parts = read_sections(&mut reader, Section::root(&table));
        let syntax: Vec<Problem> = errors.iter().take(SYNTAX_ERRORS_MAX).map(syntax_problem).collect();
        let Reader { mut problems, marks, secrets, .. } = reader;
        if !syntax.is_empty() {
            problems = syntax;
        }
        drop(table);
        let source = Arc::new(SourceText { secrets, ..source_text(path, text) });
        match parts {
            Some(parts) if problems.is_empty() => Ok(parts.into_manifest(path, source, marks)),
            _ => {
                problems.sort_by_key(|problem| problem.labels.first().map(|label| label.span.start));
                Err(ManifestError { source_text: source, problems })
            }
        }
    }

    /// Where the value with this JSON pointer stands, or else the nearest table around it.
    pub fn span(&self, pointer: &str) -> Option<Span> {
        let mut pointer = pointer;
        loop {
            if let Some(span) = self.marks.get(pointer) {
                return Some(span.clone());
            }
            pointer = pointer.rsplit_once('/')?.0;
        }
    }

    /// The pointer of the table of a layer: `/middleware/0` for the outermost.
    pub fn layer_pointer(&self, name: &str) -> Option<String> {
        let within = |layers: &[LayerSpec]| layers.iter().position(|layer| layer.name == name);
        if let Some(index) = within(&self.layers) {
            return Some(format!("/middleware/{index}"));
        }
        self.agents.iter().find_map(|sub| {
            let index = within(&sub.layers)?;
            Some(format!("/agents/{}/middleware/{index}", sub.agent.name))
        })
    }

    /// The layers of the agent, then those of each sub-agent; outermost first.
    pub fn all_layers(&self) -> impl Iterator<Item = &LayerSpec> {
        self.layers.iter().chain(self.agents.iter().flat_map(|sub| &sub.layers))
    }

    /// An error of this manifest that was found after it was read.
    pub fn error(&self, problems: Vec<Problem>) -> ManifestError {
        ManifestError { source_text: Arc::clone(&self.source), problems }
    }

    /// The sections that a swap does not take up and that this one has otherwise.
    pub fn other_sections(&self, other: &Self) -> Vec<&'static str> {
        let differs = [
            ("agent", self.agent != other.agent),
            ("agents", self.agents != other.agents),
            ("models", self.models != other.models),
            ("mcp", self.mcp != other.mcp),
            ("tool", self.tools != other.tools),
            ("sessions", self.sessions != other.sessions),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(section, _)| section).collect()
    }

    /// The same without the places of its values, for when it no longer says what its text does.
    pub(crate) fn unplaced(mut self) -> Self {
        self.marks.clear();
        self
    }

    /// The folder that relative paths start from.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// The sections, all there.
struct Parts {
    agent: AgentSpec,
    models: Vec<ModelSpec>,
    layers: Vec<LayerSpec>,
    agents: Vec<SubAgentSpec>,
    mcp: Vec<McpSpec>,
    tools: Vec<ToolDefinition>,
    permissions: PermissionRules,
    sessions: SessionSpec,
    prompt: Option<String>,
}

impl Parts {
    fn into_manifest(self, path: &Path, source: Arc<SourceText>, marks: BTreeMap<String, Span>) -> Manifest {
        Manifest {
            path: path.to_owned(),
            agent: self.agent,
            models: self.models,
            layers: self.layers,
            agents: self.agents,
            mcp: self.mcp,
            tools: self.tools,
            permissions: self.permissions,
            sessions: self.sessions,
            prompt: self.prompt,
            source,
            marks,
        }
    }
}

/// Reads every section, so that all problems are found; `None` when a required one could not be read.
fn read_sections(reader: &mut Reader<'_>, mut root: Section<'_>) -> Option<Parts> {
    let models = models::read(reader, &mut root);
    let agent = agent::read(reader, &mut root, &models.aliases);
    let secrets = secrets::read(reader, &mut root);
    let written = sub_agents::find(reader, &mut root);
    let names = written.names();
    let known = layers::Known { aliases: &models.aliases, secrets: &secrets, agents: &names };
    let mut taken = layers::Taken::default();
    let layers = layers::read(reader, &mut root, &known, &mut taken);
    let model = agent.as_ref().map(|agent| agent.model.as_str());
    let agents = sub_agents::read(reader, written, model, &known, &mut taken);
    let mcp = mcp::read(reader, &mut root);
    let tools = tools::read(reader, &mut root);
    let permissions = permissions::read(reader, &mut root);
    let sessions = sessions::read(reader, &mut root);
    let prompt = sessions::read_prompt(reader, &mut root);
    root.finish(reader);
    let models = models.specs;
    Some(Parts { agent: agent?, models, layers, agents, mcp, tools, permissions, sessions, prompt })
}

fn source_text(path: &Path, text: String) -> SourceText {
    SourceText { name: path.display().to_string(), text, secrets: Vec::new() }
}

fn syntax_problem(error: &toml::de::Error) -> Problem {
    let message = error.message().lines().next().unwrap_or("this is no TOML").to_owned();
    match error.span() {
        Some(span) => Problem::at(span, message),
        None => Problem::new(message),
    }
}

fn read(path: &Path) -> Result<String, Problem> {
    let unreadable =
        |cause: &dyn std::fmt::Display| Problem::new(format!("the manifest can't be read: {cause}"));
    let file = std::fs::File::open(path).map_err(|cause| {
        let problem = unreadable(&cause);
        match cause.kind() {
            std::io::ErrorKind::NotFound => {
                problem.help(format!("name a manifest, or a folder that has a `{FILE_NAME}`"))
            }
            _ => problem,
        }
    })?;
    let mut bytes = Vec::new();
    file.take(SIZE_MAX + 1).read_to_end(&mut bytes).map_err(|cause| unreadable(&cause))?;
    if bytes.len() as u64 > SIZE_MAX {
        return Err(unreadable(&format_args!("it is larger than the {SIZE_MAX} bytes allowed")));
    }
    String::from_utf8(bytes).map_err(|cause| {
        unreadable(&format_args!("it is not UTF-8 at byte {}", cause.utf8_error().valid_up_to()))
    })
}
