//! What goes through the onion: one file for each pair of request and response.
//!
//! Every request and response is shared: a clone is O(1), an edit copies what it touches.

mod compress;
mod draft;
mod input;
mod model;
mod permission;
mod reasoning;
mod reply;
mod tool;

pub use compress::{CompressRequest, CompressRequestData, CompressResponse, CompressResponseData};
pub use draft::{Draft, Verdict};
pub use input::INPUT_TEXT_MAX;
pub(crate) use input::check_input;
pub use model::{Messages, ModelRequest, ModelRequestData, ModelResponse, ModelResponseData};
pub use permission::{Permission, PermissionDecision, PermissionRequest, PermissionRequestData};
pub use reasoning::{ReasoningRequest, ReasoningRequestData, ReasoningResponse, ReasoningResponseData};
pub use reply::{ReplyRequest, ReplyRequestData, ReplyResponse, ReplyResponseData, TurnSummary};
pub use tool::{ToolRequest, ToolRequestData, ToolResponse, ToolResponseData};

/// Makes a shared, copy-on-write wrapper around a data struct of public fields.
macro_rules! shared {
    ($(#[$doc:meta])* $name:ident of $data:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(std::sync::Arc<$data>);

        impl $name {
            /// Shares this data.
            pub fn new(data: $data) -> Self {
                Self(std::sync::Arc::new(data))
            }

            /// The data, to edit; copied first if another handle shares it.
            pub fn edit(&mut self) -> &mut $data {
                std::sync::Arc::make_mut(&mut self.0)
            }

            /// Whether another handle shares this data, so that an edit copies it.
            pub fn is_shared(&self) -> bool {
                std::sync::Arc::strong_count(&self.0) > 1
            }

            /// Whether both handles share the very same data, so that nothing was changed between them.
            pub fn same(&self, other: &Self) -> bool {
                std::sync::Arc::ptr_eq(&self.0, &other.0)
            }
        }

        impl std::ops::Deref for $name {
            type Target = $data;

            fn deref(&self) -> &$data {
                &self.0
            }
        }

        impl From<$data> for $name {
            fn from(data: $data) -> Self {
                Self::new(data)
            }
        }
    };
}
use shared;
