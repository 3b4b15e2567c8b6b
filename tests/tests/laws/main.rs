//! The laws of the chain, for native layers and components alike: the same programs run as both, and everything that
//! happened is compared.

mod model_call;
mod onion;
mod transform;

use std::sync::OnceLock;

use cepa::chain::ChainEntry;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::runtime::Runtime;

/// The runtime that all laws share.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

/// Holds so many drawn values to a property. The first that breaks it is made as small as it can be, and shown.
fn check<S: Strategy>(cases: u32, drawn: &S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config).run(drawn, property).unwrap();
}

/// The layers of these programs, named by their places: `layer-0` is the first.
fn layers<P>(programs: &[Vec<P>], layer: impl Fn(&str, &[P]) -> ChainEntry) -> Vec<ChainEntry> {
    programs.iter().enumerate().map(|(at, program)| layer(&format!("layer-{at}"), program)).collect()
}

/// The place of a layer that [`layers`] named.
fn place(layer: &str) -> Option<usize> {
    layer.strip_prefix("layer-")?.parse().ok()
}
