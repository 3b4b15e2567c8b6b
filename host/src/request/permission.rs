//! The question whether a tool call may run.

use serde::{Deserialize, Serialize};

use super::shared;
use crate::message::{ToolCall, ToolDefinition};

/// The data of a [`PermissionRequest`].
#[derive(Clone, Debug)]
pub struct PermissionRequestData {
    /// The call in question.
    pub call: ToolCall,
    /// The tool's definition.
    pub definition: Option<ToolDefinition>,
    /// Whether a person has confirmed this very call.
    pub confirmed: bool,
    /// What the operator's rules say of it. Layers learn it from what is inside them.
    pub ruled: PermissionDecision,
}

shared! {
    /// The question whether a tool call may run.
    PermissionRequest of PermissionRequestData
}

/// What is to happen with a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permission {
    /// It runs.
    Allow,
    /// A person decides.
    Ask,
    /// It does not run.
    Deny,
}

/// A decision and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionDecision {
    /// What is to happen.
    pub permission: Permission,
    /// Shown to the person asked, and to the model on a denial.
    pub reason: String,
}
