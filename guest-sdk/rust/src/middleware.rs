//! What every middleware is: a type made from its configuration.

use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

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
    let mut schema = schemars::schema_for!(M::Config);
    RecursiveTransform(bound).transform(&mut schema);
    schema.as_value().to_string()
}

/// Says the range of a sized integer, which the generator leaves to its format. So a number that does not fit is found
/// when the manifest is checked, and not in the first reply.
fn bound(schema: &mut Schema) {
    let range: Option<(Value, Value)> = match schema.get("format").and_then(Value::as_str) {
        Some("int8") => Some((i8::MIN.into(), i8::MAX.into())),
        Some("int16") => Some((i16::MIN.into(), i16::MAX.into())),
        Some("int32") => Some((i32::MIN.into(), i32::MAX.into())),
        Some("int64") => Some((i64::MIN.into(), i64::MAX.into())),
        Some("int") => Some((isize::MIN.into(), isize::MAX.into())),
        Some("uint8") => Some((0.into(), u8::MAX.into())),
        Some("uint16") => Some((0.into(), u16::MAX.into())),
        Some("uint32") => Some((0.into(), u32::MAX.into())),
        Some("uint64") => Some((0.into(), u64::MAX.into())),
        Some("uint") => Some((0.into(), usize::MAX.into())),
        _ => None,
    };
    if let (Some((least, most)), Some(object)) = (range, schema.as_object_mut()) {
        // A range that the author gave is narrower.
        object.entry("minimum").or_insert(least);
        object.entry("maximum").or_insert(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number of each size, and one with a range of its author's.
    #[derive(Default, serde::Deserialize, JsonSchema)]
    #[serde(default)]
    struct Numbers {
        a: u8,
        b: Option<u32>,
        c: i16,
        d: Vec<u64>,
        #[schemars(range(min = 1, max = 10))]
        e: u32,
    }

    struct Counts(Numbers);

    impl Middleware for Counts {
        type Config = Numbers;
        fn new(config: Numbers) -> Result<Self, Error> {
            Ok(Self(config))
        }
    }

    #[test]
    fn the_schema_says_what_fits_into_a_number() {
        let Numbers { a, b, c, d, e } = make::<Counts>("").expect("the default").0;
        assert_eq!((a, b, c, d.len(), e), (0, None, 0, 0, 0));
        let schema: Value = serde_json::from_str(&schema::<Counts>()).expect("JSON");
        let range = |pointer: &str| {
            let at = schema.pointer(&format!("/properties/{pointer}")).expect("a property");
            format!("{} to {}", at["minimum"], at["maximum"])
        };
        assert_eq!(range("a"), "0 to 255");
        assert_eq!(range("b"), "0 to 4294967295");
        assert_eq!(range("c"), "-32768 to 32767");
        assert_eq!(range("d/items"), "0 to 18446744073709551615");
        assert_eq!(range("e"), "1 to 10");
    }
}
