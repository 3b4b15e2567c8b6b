//! What every handle has in common.

use crate::{ContentBlock, Error, FinishReason, Message, Role};

/// Makes a handle around a data struct of public fields.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident of $data:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(std::cell::RefCell<$data>);

        #[allow(clippy::should_implement_trait, reason = "on wasm it is a method of the handle, and no trait")]
        impl $name {
            /// A handle of its own; edits of one don't reach the other.
            #[must_use]
            pub fn clone(&self) -> Self {
                Self(std::cell::RefCell::new(self.data()))
            }

            /// The data as it is now, for a test to look at.
            pub fn data(&self) -> $data {
                self.0.borrow().clone()
            }
        }

        impl From<$data> for $name {
            fn from(data: $data) -> Self {
                Self(std::cell::RefCell::new(data))
            }
        }
    };
}

/// Adds the methods of values that layers attach.
macro_rules! metadata {
    ($name:ident) => {
        impl $name {
            /// A value that a layer attached, as JSON text.
            pub fn metadata(&self, key: &str) -> Option<String> {
                self.0.borrow().metadata.get(key).cloned()
            }

            /// Attaches a value, or takes it off.
            pub fn set_metadata(&self, key: &str, value: Option<&str>) -> Result<(), crate::Error> {
                $crate::native::handle::set(&mut self.0.borrow_mut().metadata, key, value)
            }
        }
    };
}

/// Adds the methods of a model's parameters.
macro_rules! parameters {
    ($name:ident) => {
        impl $name {
            /// A parameter as JSON text.
            pub fn parameter(&self, name: &str) -> Option<String> {
                self.0.borrow().parameters.get(name).cloned()
            }

            /// Sets a parameter from JSON text, or takes it off.
            pub fn set_parameter(&self, name: &str, value: Option<&str>) -> Result<(), crate::Error> {
                $crate::native::handle::set(&mut self.0.borrow_mut().parameters, name, value)
            }
        }
    };
}

/// Adds what a response tells of a model: its message, its tokens, and why it stopped.
macro_rules! said_by_model {
    ($name:ident) => {
        #[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
        impl $name {
            pub fn message(&self) -> crate::Message {
                self.0.borrow().message.clone()
            }

            pub fn text(&self) -> String {
                self.0.borrow().message.text()
            }

            pub fn tool_calls(&self) -> Vec<crate::ToolCall> {
                self.0.borrow().message.tool_calls().cloned().collect()
            }

            pub fn set_content(&self, content: &[crate::ContentBlock]) -> Result<(), crate::Error> {
                self.0.borrow_mut().message.content = content.to_vec();
                Ok(())
            }

            pub fn usage(&self) -> Option<crate::Usage> {
                self.0.borrow().usage.clone()
            }

            pub fn finish_reason(&self) -> crate::FinishReason {
                self.0.borrow().finish_reason
            }
        }
    };
}

pub(crate) use {handle, metadata, parameters, said_by_model};

/// Values by name, each JSON text, sorted.
pub type Values = std::collections::BTreeMap<String, String>;

pub(super) fn set(values: &mut Values, key: &str, value: Option<&str>) -> Result<(), Error> {
    let Some(value) = value else {
        values.remove(key);
        return Ok(());
    };
    json(value)?;
    values.insert(key.to_owned(), value.to_owned());
    Ok(())
}

/// Refuses what is no JSON.
pub(super) fn json(text: &str) -> Result<serde_json::Value, Error> {
    Ok(serde_json::from_str(text)?)
}

/// Refuses what is no JSON; `what` names it in the error.
pub(super) fn json_named(what: &str, text: &str) -> Result<serde_json::Value, Error> {
    serde_json::from_str(text).map_err(|cause| Error::invalid(format!("{what} is no JSON: {cause}")))
}

/// Refuses what is no JSON object.
pub(super) fn json_object(text: &str) -> Result<(), Error> {
    if json(text)?.is_object() { Ok(()) } else { Err(Error::invalid("not a JSON object")) }
}

/// An assistant's message with this content.
pub(super) fn assistant(content: &[ContentBlock]) -> Message {
    Message::new(Role::Assistant, content.to_vec())
}

/// Why a model that said this stopped: for its tool calls, or as it was done.
pub(super) fn finish_reason(message: &Message) -> FinishReason {
    if message.tool_calls().next().is_some() { FinishReason::ToolCalls } else { FinishReason::Stop }
}
