//! `context` and `log`: always there.

use crate::sandbox::bindings::cepa::middleware::{context, log};
use crate::sandbox::store::GuestState;

impl context::Host for GuestState {
    fn config(&mut self) -> wasmtime::Result<String> {
        Ok(self.layer.config.clone())
    }

    fn layer_name(&mut self) -> wasmtime::Result<String> {
        Ok(self.layer.spec.name.clone())
    }

    fn agent_name(&mut self) -> wasmtime::Result<String> {
        Ok(self.context.agent_name.clone())
    }

    fn session_id(&mut self) -> wasmtime::Result<String> {
        Ok(self.context.session_id.clone())
    }

    fn reply_id(&mut self) -> wasmtime::Result<String> {
        Ok(self.context.reply_id.clone())
    }

    fn step(&mut self) -> wasmtime::Result<u32> {
        Ok(self.context.step())
    }

    fn actor(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(self.context.actor.clone())
    }
}

impl log::Host for GuestState {
    fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            log::Level::Debug => "debug",
            log::Level::Info => "info",
            log::Level::Warn => "warn",
            log::Level::Error => "error",
        };
        self.log(level, message);
        Ok(())
    }
}
