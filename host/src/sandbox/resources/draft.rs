//! What a layer may only look at: a `draft` of the answer, and the `turn-summary` of a reply that has ended.

use wasmtime::component::Resource;

use crate::request::{Draft, TurnSummary};
use crate::sandbox::bindings::cepa::middleware::{requests as wit, types};
use crate::sandbox::convert::{error_to_guest, message_to_guest, outcome_to_guest, usage_to_guest};
use crate::sandbox::store::GuestState;

impl wit::HostDraft for GuestState {
    fn message(&mut self, this: Resource<Draft>) -> wasmtime::Result<types::Message> {
        Ok(message_to_guest(self.table.get(&this)?.message.clone()))
    }

    fn text(&mut self, this: Resource<Draft>) -> wasmtime::Result<String> {
        Ok(self.table.get(&this)?.message.text())
    }

    fn structured_output(&mut self, this: Resource<Draft>) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&this)?.structured_output.as_ref().map(ToString::to_string))
    }

    fn attempt(&mut self, this: Resource<Draft>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.attempt)
    }

    fn max_attempts(&mut self, this: Resource<Draft>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.max_attempts)
    }

    fn drop(&mut self, this: Resource<Draft>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl wit::HostTurnSummary for GuestState {
    fn outcome(&mut self, this: Resource<TurnSummary>) -> wasmtime::Result<types::Outcome> {
        Ok(outcome_to_guest(self.table.get(&this)?.outcome))
    }

    fn message(&mut self, this: Resource<TurnSummary>) -> wasmtime::Result<Option<types::Message>> {
        Ok(self.table.get(&this)?.message.clone().map(message_to_guest))
    }

    fn error(&mut self, this: Resource<TurnSummary>) -> wasmtime::Result<Option<types::Error>> {
        Ok(self.table.get(&this)?.error.clone().map(error_to_guest))
    }

    fn usage(&mut self, this: Resource<TurnSummary>) -> wasmtime::Result<types::Usage> {
        Ok(usage_to_guest(self.table.get(&this)?.usage.clone()))
    }

    fn steps(&mut self, this: Resource<TurnSummary>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.steps)
    }

    fn tool_calls(&mut self, this: Resource<TurnSummary>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.tool_calls)
    }

    fn duration_ms(&mut self, this: Resource<TurnSummary>) -> wasmtime::Result<u32> {
        Ok(self.table.get(&this)?.duration_ms)
    }

    fn drop(&mut self, this: Resource<TurnSummary>) -> wasmtime::Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}
