//! Sub-agents: the contract's `agents`, and the answer alone on top of it.

pub use crate::backend::agents::{AgentRun, names, run};
use crate::{Error, ErrorKind, Outcome};

/// Asks a sub-agent in a new thread, for its answer alone.
///
/// # Errors
/// The capability's own, and those of [`answer`].
pub fn ask(agent: &str, prompt: &str) -> Result<String, Error> {
    answer(&run(agent, None, prompt)?)
}

/// The answer of a run; empty when it had nothing to say.
///
/// # Errors
/// Why there is none: the run's own error, or `rejected` with the code `parked` when it waits for a person.
pub fn answer(run: &AgentRun) -> Result<String, Error> {
    match run.outcome() {
        Outcome::Replied | Outcome::Silent => Ok(run.text()),
        Outcome::Parked => Err(Error::rejected("parked", "the agent waits for a person")),
        Outcome::Aborted => Err(Error::new(ErrorKind::Aborted, "the agent was aborted")),
        Outcome::Failed => Err(run
            .error()
            .unwrap_or_else(|| Error::new(ErrorKind::Other, "the agent failed without a cause"))),
    }
}
