//! `[agent]`.

use super::problem::Problem;
use super::reader::{At, Reader};
use super::section::Section;
use super::words::{listed, suggestion};

/// The agent itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSpec {
    /// Its name.
    pub name: String,
    /// What the system prompt begins with; may be empty.
    pub system_prompt: String,
    /// The alias of its model.
    pub model: String,
    /// How many steps a reply may take.
    pub max_steps: Option<u32>,
    /// How often a draft may be sent back.
    pub max_draft_attempts: Option<u32>,
}

/// What stands in the table of any agent.
pub(super) struct Settings {
    system_prompt: String,
    pub(super) model: Option<String>,
    max_steps: Option<u32>,
    max_draft_attempts: Option<u32>,
}

impl Settings {
    /// The agent with these.
    pub(super) fn named(self, name: String, model: String) -> AgentSpec {
        let Self { system_prompt, max_steps, max_draft_attempts, .. } = self;
        AgentSpec { name, system_prompt, model, max_steps, max_draft_attempts }
    }
}

pub(super) fn settings(reader: &mut Reader<'_>, section: &mut Section<'_>, aliases: &[String]) -> Settings {
    let system_prompt = system_prompt(reader, section);
    let model = section.text(reader, "model");
    let max_steps = section.count(reader, "max-steps", 1);
    let max_draft_attempts = section.count(reader, "max-draft-attempts", 1);
    if let Some(model) = &model {
        check_alias(reader, model, aliases);
    }
    Settings { system_prompt, model: model.map(|model| model.value), max_steps, max_draft_attempts }
}

pub(super) fn read(reader: &mut Reader<'_>, root: &mut Section<'_>, aliases: &[String]) -> Option<AgentSpec> {
    root.require("agent", "add a table `[agent]` with a `name` and a `model`");
    let mut section = root.table(reader, "agent")?;
    section.require("name", "add a line like `name = \"assistant\"`");
    section.require("model", "name one of the `[models.NAME]`, as in `model = \"main\"`");
    let name = section.filled_text(reader, "name");
    let settings = settings(reader, &mut section, aliases);
    section.finish(reader);
    let model = settings.model.clone()?;
    Some(settings.named(name?.value, model))
}

fn system_prompt(reader: &mut Reader<'_>, section: &mut Section<'_>) -> String {
    let text = section.text(reader, "system-prompt");
    let file = section.text(reader, "system-prompt-file");
    match (text, file) {
        (Some(text), Some(file)) => {
            let message = "`system-prompt` and `system-prompt-file` exclude each other";
            reader.report(Problem::at(file.span, message).label(text.span, "the other one"));
            String::new()
        }
        (Some(text), None) => text.value,
        (None, Some(file)) => match reader.surroundings.read(&file.value) {
            Ok(text) => text,
            Err(cause) => {
                reader.report(Problem::at(file.span, cause.message).help(cause.help));
                String::new()
            }
        },
        (None, None) => String::new(),
    }
}

/// Reports an alias that no `[models.NAME]` has.
pub(super) fn check_alias(reader: &mut Reader<'_>, alias: &At<String>, aliases: &[String]) {
    if aliases.contains(&alias.value) {
        return;
    }
    let known: Vec<&str> = aliases.iter().map(String::as_str).collect();
    let problem = Problem::at(alias.span.clone(), format!("there is no model `{}`", alias.value));
    reader.report(match suggestion(&alias.value, &known) {
        Some(says) => problem.says(says),
        None if known.is_empty() => problem.help(format!("add a table `[models.{}]`", alias.value)),
        None => problem.help(format!("the models are {}", listed(&known, "and"))),
    });
}
