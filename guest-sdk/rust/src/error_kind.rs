//! Error kinds by name, so that a configuration can list them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ErrorKind;

/// Every kind with the name that the contract gives it.
const NAMES: [(ErrorKind, &str); 18] = [
    (ErrorKind::InvalidInput, "invalid-input"),
    (ErrorKind::NotFound, "not-found"),
    (ErrorKind::Denied, "denied"),
    (ErrorKind::Limit, "limit"),
    (ErrorKind::Timeout, "timeout"),
    (ErrorKind::RateLimited, "rate-limited"),
    (ErrorKind::Overloaded, "overloaded"),
    (ErrorKind::Authentication, "authentication"),
    (ErrorKind::ContextOverflow, "context-overflow"),
    (ErrorKind::ContentFilter, "content-filter"),
    (ErrorKind::Connection, "connection"),
    (ErrorKind::Upstream, "upstream"),
    (ErrorKind::Aborted, "aborted"),
    (ErrorKind::Fault, "fault"),
    (ErrorKind::Unsupported, "unsupported"),
    (ErrorKind::Rejected, "rejected"),
    (ErrorKind::Internal, "internal"),
    (ErrorKind::Other, "other"),
];

impl ErrorKind {
    /// The contract's name, for example `rate-limited`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).map_or("other", |(_, name)| name)
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ErrorKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = Cow::<'de, str>::deserialize(from)?;
        Self::from_name(&name).ok_or_else(|| D::Error::custom(format!("no error kind is named `{name}`")))
    }
}

impl JsonSchema for ErrorKind {
    fn schema_name() -> Cow<'static, str> {
        "ErrorKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": NAMES.map(|(_, name)| name) })
    }
}
