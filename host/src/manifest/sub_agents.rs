//! `[agents.NAME]`: agents that layers may run.

use super::agent::{self, AgentSpec};
use super::layers::{self, Known, Taken, usable_name};
use super::problem::Problem;
use super::reader::{At, Reader};
use super::section::Section;
use super::words::{listed, suggestion};
use crate::policy::LayerSpec;

/// An agent that layers may run by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct SubAgentSpec {
    /// The agent itself.
    pub agent: AgentSpec,
    /// Which tools of MCP servers and of programs outside it has; `*` stands for all.
    pub tools: Vec<String>,
    /// Its layers, outermost first.
    pub layers: Vec<LayerSpec>,
}

/// The tables, to be read once it is known what their layers may name.
pub(super) struct Written<'t>(Vec<(At<String>, Section<'t>)>);

impl Written<'_> {
    /// Every name that was written, the unusable ones too.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.value.clone()).collect()
    }
}

pub(super) fn find<'t>(reader: &mut Reader<'_>, root: &mut Section<'t>) -> Written<'t> {
    Written(root.named_tables(reader, "agents"))
}

/// Reads them. `model` is the one that they have unless they name another.
pub(super) fn read(
    reader: &mut Reader<'_>,
    written: Written<'_>,
    model: Option<&str>,
    known: &Known<'_>,
    taken: &mut Taken,
) -> Vec<SubAgentSpec> {
    let each = written.0.into_iter();
    each.filter_map(|(name, section)| read_one(reader, name, section, model, known, taken)).collect()
}

fn read_one(
    reader: &mut Reader<'_>,
    name: At<String>,
    mut section: Section<'_>,
    model: Option<&str>,
    known: &Known<'_>,
    taken: &mut Taken,
) -> Option<SubAgentSpec> {
    let usable = usable_name(&name.value);
    if let Err(cause) = &usable {
        let message = format!("`{}` can't be the name of an agent", name.value.escape_debug());
        reader.report(Problem::at(name.span, message).says(cause.clone()));
    }
    let settings = agent::settings(reader, &mut section, known.aliases);
    let tools = section.texts(reader, "tools").unwrap_or_default();
    let layers = layers::read(reader, &mut section, known, taken);
    section.finish(reader);
    let model = settings.model.clone().or_else(|| model.map(str::to_owned));
    let agent = settings.named(usable.ok()?, model?);
    Some(SubAgentSpec { agent, tools: tools.into_iter().map(|tool| tool.value).collect(), layers })
}

/// `grants.agents`: which of them a layer may run.
pub(super) fn granted(reader: &mut Reader<'_>, grants: &mut Section<'_>, known: &[String]) -> Vec<String> {
    let agents = grants.texts(reader, "agents").unwrap_or_default();
    for agent in agents.iter().filter(|agent| agent.value != "*" && !known.contains(&agent.value)) {
        let words: Vec<&str> = known.iter().map(String::as_str).collect();
        let problem = Problem::at(agent.span.clone(), format!("there is no agent `{}`", agent.value));
        reader.report(match suggestion(&agent.value, &words) {
            Some(says) => problem.says(says),
            None if words.is_empty() => problem.help(format!("add a table `[agents.{}]`", agent.value)),
            None => problem.help(format!("the agents are {}", listed(&words, "and"))),
        });
    }
    agents.into_iter().map(|agent| agent.value).collect()
}
