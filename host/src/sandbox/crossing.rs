//! Values on their way between guest and host, as the one place sees them that every call of the host passes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use wasmtime::component::{Resource, ResourceTable};

use super::bindings::cepa::middleware::{events, index, log, requests, state, types, workspace};
use super::convert::kind_names;

/// A value that crosses, as a recording shows it.
pub(super) trait Shown {
    /// Its JSON, always the same for the same value: a handle is its number, and bytes alone are base64.
    fn json(&self) -> Box<RawValue>;

    /// Lets go of what the guest handed over with it, when nobody takes it.
    fn release(self, _table: &mut ResourceTable)
    where
        Self: Sized,
    {
    }
}

/// A value that a function answers, or that an export is given.
pub(super) trait Crossing: Shown + Sized {
    /// Whether a function with this answer may refuse.
    const REFUSABLE: bool = false;

    /// The answer of a function that refuses; `None` where it can't.
    fn refused(_error: types::Error) -> Option<Self> {
        None
    }

    /// The value that was shown as this.
    fn read(json: &RawValue) -> serde_json::Result<Self>;
}

/// A value of no handles.
pub(super) trait Plain: Serialize + DeserializeOwned {}

impl<T: Plain> Shown for T {
    fn json(&self) -> Box<RawValue> {
        written(self)
    }
}

impl<T: Plain> Crossing for T {
    fn read(json: &RawValue) -> serde_json::Result<Self> {
        serde_json::from_str(json.get())
    }
}

/// The JSON of a value. Those of the contract have no keys that JSON can't have, so there always is one.
fn written(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

impl<T: 'static> Crossing for Resource<T> {
    /// The guest's own: nothing else is ever given to one.
    fn read(json: &RawValue) -> serde_json::Result<Self> {
        Ok(Self::new_own(serde_json::from_str(json.get())?))
    }
}

impl<T: 'static> Shown for Resource<T> {
    fn json(&self) -> Box<RawValue> {
        written(&self.rep())
    }

    /// What a guest lent stays its own.
    fn release(self, table: &mut ResourceTable) {
        if self.owned() {
            // One that isn't there has been let go of.
            let _ = table.delete(self);
        }
    }
}

impl Shown for Vec<u8> {
    fn json(&self) -> Box<RawValue> {
        written(&BASE64.encode(self))
    }
}

impl Crossing for Vec<u8> {
    fn read(json: &RawValue) -> serde_json::Result<Self> {
        let text: String = serde_json::from_str(json.get())?;
        BASE64.decode(text).map_err(serde_json::Error::custom)
    }
}

impl Shown for events::EventKinds {
    fn json(&self) -> Box<RawValue> {
        written(&kind_names(*self))
    }
}

/// What a function answers that may refuse, as a recording has it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Told {
    Ok(Box<RawValue>),
    Error(types::Error),
}

impl<T: Shown> Shown for Result<T, types::Error> {
    fn json(&self) -> Box<RawValue> {
        written(&match self {
            Ok(value) => Told::Ok(value.json()),
            Err(error) => Told::Error(error.clone()),
        })
    }
}

impl<T: Crossing> Crossing for Result<T, types::Error> {
    const REFUSABLE: bool = true;

    fn refused(error: types::Error) -> Option<Self> {
        Some(Err(error))
    }

    fn read(json: &RawValue) -> serde_json::Result<Self> {
        match serde_json::from_str(json.get())? {
            Told::Ok(value) => T::read(&value).map(Ok),
            Told::Error(error) => Ok(Err(error)),
        }
    }
}

impl<T: Plain> Plain for Vec<T> {}
impl<T: Plain> Plain for Option<T> {}
impl<A: Plain, B: Plain> Plain for (A, B) {}

macro_rules! plain {
    ($($ty:ty),+ $(,)?) => {
        $(impl Plain for $ty {})+
    };
}

plain!(
    (),
    bool,
    u16,
    u32,
    u64,
    f64,
    String,
    log::Level,
    state::Scope,
    workspace::Mount,
    workspace::Entry,
    index::Scope,
    index::Document,
    index::Hit,
    events::Event,
    requests::PermissionDecision,
    requests::Verdict,
    types::ContentBlock,
    types::Error,
    types::FinishReason,
    types::Message,
    types::Outcome,
    types::ResultPart,
    types::ToolCall,
    types::ToolChoice,
    types::ToolDefinition,
    types::ToolState,
    types::Usage,
);
