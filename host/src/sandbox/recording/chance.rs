//! The clocks and the chance of WASI, of a guest that is recorded or replayed.

use std::convert::Infallible;
use std::time::Duration;

use rand_core::TryRng;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtxBuilder};

use crate::sandbox::crossing::{Crossing, Plain};
use crate::world::{RealWorld, World as _};

use super::{Arguments, InstanceLog, Script};

/// Where time and chance come from.
#[derive(Clone)]
pub(in crate::sandbox) enum Source {
    /// From the machine, and each value is recorded.
    Recorded(InstanceLog),
    /// From the recording.
    Replayed(Script),
}

impl Source {
    /// The value of a function of WASI. What a guest asks for that does otherwise than it did is of no use any more.
    fn value<T: Crossing + Default>(
        &self,
        function: &str,
        arguments: Arguments<'_>,
        make: impl FnOnce() -> T,
    ) -> T {
        match self {
            Self::Recorded(log) => {
                log.call(function.to_owned(), arguments);
                let value = make();
                log.answer(Ok(&value));
                value
            }
            Self::Replayed(script) => script.ask(function, arguments).unwrap_or_default(),
        }
    }
}

/// Gives a world these clocks and this chance.
pub(in crate::sandbox) fn watched_wasi(world: &mut WasiCtxBuilder, source: &Source) {
    let random = |function| Random { source: source.clone(), function };
    let seed = source.value("wasi.insecure-seed", &[], || seed().to_vec());
    let seed = seed.try_into().map(u128::from_le_bytes).unwrap_or_default();
    world
        .wall_clock(WallClock(source.clone()))
        .monotonic_clock(MonotonicClock { source: source.clone(), machine: RealWorld::default() })
        .secure_random(random("wasi.random"))
        .insecure_random(random("wasi.insecure-random"))
        .insecure_random_seed(seed);
}

fn seed() -> [u8; 16] {
    let mut seed = [0; 16];
    RealWorld::default().random(&mut seed);
    seed
}

impl Plain for Duration {}

struct WallClock(Source);

impl HostWallClock for WallClock {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        let now = || Duration::from_millis(RealWorld::default().now_ms());
        self.0.value("wasi.wall-clock", &[], now)
    }
}

struct MonotonicClock {
    source: Source,
    machine: RealWorld,
}

impl HostMonotonicClock for MonotonicClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        let now = || u64::try_from(self.machine.monotonic().as_nanos()).unwrap_or(u64::MAX);
        self.source.value("wasi.monotonic-clock", &[], now)
    }
}

struct Random {
    source: Source,
    function: &'static str,
}

impl Random {
    fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    fn fill(&self, buffer: &mut [u8]) {
        let make = || {
            let mut bytes = vec![0; buffer.len()];
            RealWorld::default().random(&mut bytes);
            bytes
        };
        let bytes = self.source.value(self.function, &[("length", &(buffer.len() as u64))], make);
        // A recording that was changed may have others.
        for (place, byte) in buffer.iter_mut().zip(bytes) {
            *place = byte;
        }
    }
}

impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes()))
    }

    fn try_fill_bytes(&mut self, buffer: &mut [u8]) -> Result<(), Infallible> {
        self.fill(buffer);
        Ok(())
    }
}
