//! The question whether a tool call may run.

use super::handle::handle;
use crate::{ToolCall, ToolDefinition};

/// The data of a [`PermissionRequest`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct PermissionRequestData {
    pub call: ToolCall,
    pub definition: Option<ToolDefinition>,
    pub confirmed: bool,
}

handle! {
    /// The question whether a tool call may run. Read only.
    PermissionRequest of PermissionRequestData
}

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl PermissionRequest {
    pub fn call(&self) -> ToolCall {
        self.0.borrow().call.clone()
    }

    pub fn definition(&self) -> Option<ToolDefinition> {
        self.0.borrow().definition.clone()
    }

    pub fn confirmed(&self) -> bool {
        self.0.borrow().confirmed
    }
}
