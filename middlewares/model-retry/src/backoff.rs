//! How long to wait.

use cepa_sdk::random;

use crate::Config;

/// The wait before a retry (from 0), in milliseconds: `initial × factor^retry`, at most the longest, give or take a
/// quarter by chance.
pub(crate) fn delay(config: &Config, retry: u32) -> u32 {
    let power = i32::try_from(retry).unwrap_or(i32::MAX);
    let growth = if config.backoff_factor == 0.0 { 1.0 } else { config.backoff_factor.powi(power) };
    let longest = f64::from(config.max_delay_ms);
    let wait = (f64::from(config.initial_delay_ms) * growth).min(longest);
    let wait = if config.jitter { (wait * spread()).min(longest) } else { wait };
    whole(wait)
}

/// From 0.75 to 1.25.
fn spread() -> f64 {
    0.75 + 0.5 * f64::from(random::number()) / f64::from(u32::MAX)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0 and a u32")]
fn whole(wait: f64) -> u32 {
    wait.round() as u32
}
