//! Runs of sub-agents. The rig's world holds what they come to.

use crate::rig::{Capability, granted};
use crate::{Error, ErrorKind, Outcome, Usage};

/// What a run of a sub-agent came to.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRunData {
    /// Its thread.
    pub thread: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Its answer.
    pub text: String,
    /// Why it failed.
    pub error: Option<Error>,
    /// Its tokens.
    pub usage: Usage,
    /// Its steps.
    pub steps: u32,
}

impl AgentRunData {
    /// A run of one step that ended in this answer.
    pub fn answer(thread: &str, text: &str) -> Self {
        let (thread, text, usage) = (thread.to_owned(), text.to_owned(), Usage::unknown());
        Self { thread, outcome: Outcome::Replied, text, error: None, usage, steps: 1 }
    }
}

/// A run that has ended.
#[derive(Debug)]
pub struct AgentRun(AgentRunData);

#[expect(missing_docs, reason = "each method is documented in wit/capabilities.wit")]
impl AgentRun {
    pub fn thread(&self) -> String {
        self.0.thread.clone()
    }

    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    pub fn text(&self) -> String {
        self.0.text.clone()
    }

    pub fn error(&self) -> Option<Error> {
        self.0.error.clone()
    }

    pub fn usage(&self) -> Usage {
        self.0.usage.clone()
    }

    pub fn steps(&self) -> u32 {
        self.0.steps
    }
}

/// The granted names.
pub fn names() -> Result<Vec<String>, Error> {
    granted(Capability::Agents, |world| world.agents.clone())
}

/// Runs a sub-agent: the next of the rig's runs is what it came to.
pub fn run(agent: &str, thread: Option<&str>, prompt: &str) -> Result<AgentRun, Error> {
    granted(Capability::Agents, |world| {
        if !world.agents.iter().any(|known| known == agent) {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no agent `{agent}`")));
        }
        world.agent_calls.push((agent.to_owned(), thread.map(str::to_owned), prompt.to_owned()));
        match world.agent_runs.pop_front() {
            Some(run) => run.map(AgentRun),
            None => Err(Error::new(ErrorKind::NotFound, "the rig has no run of an agent left")),
        }
    })?
}
