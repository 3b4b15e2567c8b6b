//! From a core module to a component that asks nothing of WASI.

use wit_component::ComponentEncoder;

use crate::Error;
use crate::project::Project;

/// Answers every call of WASI preview 1 inside the component. Output is discarded, there are no files, the clock counts
/// calls, and the random numbers are the same in each instance: enough for a runtime to start, and of no other use. A
/// guest asks the contract's own `log`, `clock` and `random`.
const ADAPTER: &str = include_str!("wasi_snapshot_preview1.wat");

/// What a module calls WASI preview 1.
const ADAPTED: &str = "wasi_snapshot_preview1";

/// Wraps a core module that a compiler for WASI preview 1 made and that carries its contract.
pub(crate) fn component(project: &Project, module: &[u8]) -> Result<Vec<u8>, Error> {
    let adapter = wat::parse_str(ADAPTER).map_err(Error::encode(&project.name))?;
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|encoder| encoder.adapter(ADAPTED, &adapter))
        .and_then(ComponentEncoder::encode)
        .map_err(Error::encode(&project.name))
}
