//! What layers decide: permissions and verdicts.

use super::message::content_from_guest;
use super::same_cases;
use crate::error::Error;
use crate::request::{Permission, PermissionDecision, Verdict};
use crate::sandbox::bindings::cepa::middleware::requests as wit;

same_cases!(permit_to_guest, permit_from_guest, Permission, wit::Permission { Allow, Ask, Deny });

pub(in crate::sandbox) fn permission_to_guest(decision: PermissionDecision) -> wit::PermissionDecision {
    wit::PermissionDecision { permission: permit_to_guest(decision.permission), reason: decision.reason }
}

pub(in crate::sandbox) fn permission_from_guest(decision: wit::PermissionDecision) -> PermissionDecision {
    PermissionDecision { permission: permit_from_guest(decision.permission), reason: decision.reason }
}

pub(in crate::sandbox) fn verdict_from_guest(verdict: wit::Verdict) -> Result<Verdict, Error> {
    Ok(match verdict {
        wit::Verdict::Accept => Verdict::Accept,
        wit::Verdict::Replace(content) => Verdict::Replace(content_from_guest(content)?),
        wit::Verdict::Retry(feedback) => Verdict::Retry(feedback),
    })
}
