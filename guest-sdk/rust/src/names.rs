//! The words for enums, as the contract has them, for messages and log lines.

use std::fmt;

use crate::{ErrorKind, FinishReason, Outcome, Role, ToolState};

macro_rules! named {
    ($($type:ident { $($variant:ident $name:literal),* $(,)? })*) => {$(
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    $(Self::$variant => $name,)*
                })
            }
        }
    )*};
}

named! {
    FinishReason {
        Stop "stop", Length "length", ToolCalls "tool-calls", ContentFilter "content-filter", Other "other",
    }
    Outcome {
        Replied "replied", Silent "silent", Aborted "aborted", Failed "failed", Parked "parked",
    }
    Role { User "user", Assistant "assistant", System "system", Tool "tool" }
    ToolState {
        Success "success", Error "error", Denied "denied", Interrupted "interrupted", Parked "parked",
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
