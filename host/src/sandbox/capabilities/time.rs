//! `clock` and `random`: always there.

use std::time::Duration;

use crate::error::Error;
use crate::sandbox::bindings::cepa::middleware::{clock, random, types};
use crate::sandbox::convert::error_to_guest;
use crate::sandbox::store::GuestState;

/// Bytes of chance in one call: enough for any key, too little to fill a memory.
const RANDOM_BYTES_MAX: u32 = 65_536;

impl clock::Host for GuestState {
    fn now_ms(&mut self) -> wasmtime::Result<u64> {
        Ok(self.context.world.now_ms())
    }

    fn monotonic_us(&mut self) -> wasmtime::Result<u64> {
        Ok(u64::try_from(self.context.world.monotonic().as_micros()).unwrap_or(u64::MAX))
    }

    async fn sleep(&mut self, milliseconds: u32) -> wasmtime::Result<()> {
        let context = &self.context;
        let sleep = async {
            tokio::select! {
                () = context.world.sleep(Duration::from_millis(u64::from(milliseconds))) => {}
                () = context.cancel.cancelled() => {}
            }
        };
        self.budget.waiting(sleep).await;
        Ok(())
    }
}

impl random::Host for GuestState {
    fn bytes(&mut self, count: u32) -> wasmtime::Result<Result<Vec<u8>, types::Error>> {
        if count > RANDOM_BYTES_MAX {
            return Ok(Err(error_to_guest(Error::limit("random-bytes", RANDOM_BYTES_MAX, count))));
        }
        let mut bytes = vec![0; count as usize];
        self.context.world.random(&mut bytes);
        Ok(Ok(bytes))
    }

    fn number(&mut self) -> wasmtime::Result<u32> {
        let mut bytes = [0; 4];
        self.context.world.random(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn uuid(&mut self) -> wasmtime::Result<String> {
        let mut bytes = [0; 16];
        self.context.world.random(&mut bytes);
        Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
    }
}
