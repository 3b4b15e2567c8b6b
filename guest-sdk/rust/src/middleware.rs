//! What every middleware is: a type made from its configuration.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::Error;

/// A middleware: made once an instance, on its first hook, from the layer's configuration.
///
/// What it holds lasts only as long as the instance does. What must last goes into [`state`](crate::state).
pub trait Middleware: Sized {
    /// The `config` table of the manifest. Its JSON Schema is exported with the component, and the manifest is
    /// checked against it. `#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]` makes a misspelt key
    /// an error, and each key optional.
    type Config: DeserializeOwned + JsonSchema + Default;

    /// Makes the middleware. An error is answered by each hook in its place.
    fn new(config: Self::Config) -> Result<Self, Error>;
}

/// The configuration for a middleware that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoConfig {}

/// Makes a middleware from its configuration as text; an empty text is the default.
pub(crate) fn make<M: Middleware>(config: &str) -> Result<M, Error> {
    if config.trim().is_empty() {
        return M::new(M::Config::default());
    }
    let config = serde_json::from_str(config)
        .map_err(|cause| Error::invalid(format!("the configuration does not fit: {cause}")))?;
    M::new(config)
}

/// The JSON Schema of a middleware's configuration, as text.
pub fn schema<M: Middleware>() -> String {
    schemars::schema_for!(M::Config).as_value().to_string()
}
