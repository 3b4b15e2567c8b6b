//! Why a component can't be a middleware.

use crate::workspace::MountError;

/// Why a component can't be loaded. The text names the component and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The engine can't run on this machine.
    #[error("the sandbox can't be set up on this machine: {0}")]
    Engine(String),
    /// The file is no WebAssembly at all.
    #[error("`{name}` is no WebAssembly component: {cause}")]
    NotWasm {
        /// The component.
        name: String,
        /// What it is instead.
        cause: String,
    },
    /// The file is a core module.
    #[error("`{name}` is a core WebAssembly module, and a component is wanted; `cepa build` makes one")]
    CoreModule {
        /// The component.
        name: String,
    },
    /// The file is damaged, cut, or uses what the engine does not support.
    #[error("`{name}` can't be compiled: {cause}")]
    Invalid {
        /// The component.
        name: String,
        /// What the engine says.
        cause: String,
    },
    /// It was built for another version of the contract.
    #[error("`{name}` was built for {built}, and this host offers {offered}; first difference: {difference}")]
    Version {
        /// The component.
        name: String,
        /// The contract it was built for.
        built: String,
        /// The contract of this host.
        offered: String,
        /// The first item that differs.
        difference: String,
    },
    /// It imports what no middleware gets.
    #[error("`{name}` imports `{import}`, which is not in the contract {offered}")]
    UnknownImport {
        /// The component.
        name: String,
        /// The import.
        import: String,
        /// The contract of this host.
        offered: String,
    },
    /// It exports no hook.
    #[error("`{name}` exports no hook of {offered}, so it would do nothing; it exports {exports}")]
    NoHook {
        /// The component.
        name: String,
        /// The contract of this host.
        offered: String,
        /// What it exports.
        exports: String,
    },
    /// A first instance failed.
    #[error("`{name}` fails at its start: {cause}")]
    Start {
        /// The component.
        name: String,
        /// What happened.
        cause: String,
    },
    /// Its own schema is no JSON Schema.
    #[error("`{name}` has a configuration schema that can't be used: {cause}")]
    Schema {
        /// The component.
        name: String,
        /// What is wrong with it.
        cause: String,
    },
    /// Its grants can't be kept.
    #[error("the grants of layer `{layer}` can't be used: {cause}")]
    Grants {
        /// The layer.
        layer: String,
        /// What is wrong with them.
        cause: String,
    },
    /// The configuration does not fit the component's schema.
    #[error("the configuration of layer `{layer}` does not fit: {cause}")]
    Config {
        /// The layer.
        layer: String,
        /// Each place that does not fit, and why.
        cause: String,
    },
    /// A mount of the layer can't be opened.
    #[error(transparent)]
    Mount(MountError),
}

impl LoadError {
    pub(super) fn engine(error: impl std::fmt::Display) -> Self {
        Self::Engine(format!("{error:#}"))
    }
}
