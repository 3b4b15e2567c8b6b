//! How a ratio is measured: both sides in turn, many times, and the median of the ratios of neighbours.

use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

/// Name, bound, and what measures it.
pub(crate) type Figure = (&'static str, f64, fn(&Runtime) -> f64);

/// Rounds of a ratio. Odd, so that there is a middle one.
const ROUNDS: usize = 31;

/// Measures a figure and prints its line.
#[expect(clippy::print_stdout, reason = "the line is what this program is for")]
pub(crate) fn report(runtime: &Runtime, (name, bound, measure): Figure) {
    let value = measure(runtime);
    let verdict = if value <= bound { "ok" } else { "short" };
    println!("figure {name} {value:.3} {bound} {verdict}");
}

/// The median of `ROUNDS` ratios of `left` to `right`, measured in turn.
pub(crate) fn ratio(mut left: impl FnMut() -> Duration, mut right: impl FnMut() -> Duration) -> f64 {
    left();
    right();
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|round| {
            // Who goes first changes, so that neither always finds the warmer machine.
            let (left, right) = if round % 2 == 0 {
                let left = left();
                (left, right())
            } else {
                let right = right();
                (left(), right)
            };
            left.as_secs_f64() / right.as_secs_f64()
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ROUNDS / 2]
}

/// How long this takes.
pub(crate) fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
