//! What is always there: context, log, clock, random.

/// Who and where this layer is.
#[expect(missing_docs, reason = "each function is documented in wit/capabilities.wit")]
pub mod context {
    use crate::rig::with;

    pub fn config() -> String {
        with(|world| world.config.clone())
    }

    pub fn layer_name() -> String {
        with(|world| world.layer_name.clone())
    }

    pub fn agent_name() -> String {
        with(|world| world.agent_name.clone())
    }

    pub fn session_id() -> String {
        with(|world| world.session_id.clone())
    }

    pub fn reply_id() -> String {
        with(|world| world.reply_id.clone())
    }

    pub fn step() -> u32 {
        with(|world| world.step)
    }

    pub fn actor() -> Option<String> {
        with(|world| world.actor.clone())
    }
}

/// Writes to the layer's log.
pub mod log {
    use crate::rig::with;

    pub use crate::bindings::cepa::middleware::log::Level;

    /// Writes one line.
    pub fn write(level: Level, message: &str) {
        with(|world| world.log.push((level, message.to_owned())));
    }
}

/// Time. It stands still in the rig, unless a middleware sleeps or a test moves it.
pub mod clock {
    use crate::rig::with;

    /// Milliseconds since 1970-01-01 UTC.
    pub fn now_ms() -> u64 {
        with(|world| world.now_ms)
    }

    /// Microseconds since the rig was made.
    pub fn monotonic_us() -> u64 {
        with(|world| world.elapsed_ms.saturating_mul(1000))
    }

    /// Moves the time on.
    pub fn sleep(milliseconds: u32) {
        with(|world| {
            world.slept.push(milliseconds);
            world.advance(milliseconds);
        });
    }
}

/// Chance: the same numbers in every run of a test.
pub mod random {
    use crate::Error;
    use crate::rig::with;

    /// At most 65,536 bytes.
    pub fn bytes(count: u32) -> Result<Vec<u8>, Error> {
        if count > 65_536 {
            return Err(Error::invalid(format!("{count} random bytes asked for: at most 65536 at once")));
        }
        Ok((0..count).map(|_| number().to_le_bytes()[0]).collect())
    }

    /// A number of the whole range.
    pub fn number() -> u32 {
        with(crate::rig::World::number)
    }

    /// A UUID as text.
    pub fn uuid() -> String {
        let (a, b) = (number(), number());
        format!("{a:08x}-0000-4000-8000-0000{b:08x}")
    }
}
