//! `agents`: runs of sub-agents.

use wasmtime::component::Resource;

use crate::error::Error;
use crate::sandbox::bindings::cepa::middleware::{agents as wit, types};
use crate::sandbox::convert::{error_to_guest, outcome_to_guest, usage_to_guest};
use crate::sandbox::copied::Shared as _;
use crate::sandbox::resources::answer;
use crate::sandbox::store::GuestState;
use crate::services::{AgentCall, AgentRun};

use super::covers;

impl GuestState {
    /// What hinders a run of this agent. Agents that were not granted are not named.
    fn check_agent(&self, agent: &str) -> Result<(), Error> {
        if !covers(&self.layer.spec.grants.agents, agent) {
            return Err(self.denied("agents", agent));
        }
        self.reply_budget.run_agent()
    }
}

impl wit::HostAgentRun for GuestState {
    fn thread(&mut self, this: Resource<AgentRun>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.thread.clone())
    }

    fn outcome(&mut self, this: Resource<AgentRun>) -> wasmtime::Result<types::Outcome> {
        Ok(outcome_to_guest(self.table.get(&this)?.response.outcome))
    }

    fn text(&mut self, this: Resource<AgentRun>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.response.text())
    }

    fn error(&mut self, this: Resource<AgentRun>) -> wasmtime::Result<Option<types::Error>> {
        Ok(self.table.get(&this)?.response.error.clone().map(error_to_guest))
    }

    fn usage(&mut self, this: Resource<AgentRun>) -> wasmtime::Result<types::Usage> {
        Ok(usage_to_guest(self.table.get(&this)?.response.usage.clone()))
    }

    fn steps(&mut self, this: Resource<AgentRun>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.response.steps)
    }

    fn drop(&mut self, this: Resource<AgentRun>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl wit::Host for GuestState {
    fn names(&mut self) -> wasmtime::Result<Result<Vec<String>, types::Error>> {
        let granted = &self.layer.spec.grants.agents;
        if granted.is_empty() {
            return answer(Err(self.denied("agents", "")));
        }
        let names = self.context.services.agents();
        Ok(Ok(names.into_iter().filter(|name| covers(granted, name)).collect()))
    }

    async fn run(
        &mut self,
        agent: String,
        thread: Option<String>,
        prompt: String,
    ) -> wasmtime::Result<Result<Resource<AgentRun>, types::Error>> {
        if let Err(error) = self.check_agent(&agent) {
            return answer(Err(error));
        }
        let call = AgentCall { agent, thread, prompt };
        let run = self.context.services.run_agent(self.layer.spec.name.clone(), call);
        match self.budget.waiting(run).await {
            Ok(run) => {
                self.budget.ask(&run.response.usage);
                self.budget.copy(run.response.held())?;
                Ok(Ok(self.give(run)?))
            }
            Err(error) => answer(Err(error)),
        }
    }
}
