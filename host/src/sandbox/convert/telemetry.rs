//! Attributes of what is measured.

use super::json::object_from_guest;
use crate::error::Error;
use crate::telemetry::{Attributes, check_attributes};

pub(in crate::sandbox) fn attributes_from_guest(text: &str) -> Result<Attributes, Error> {
    let attributes = object_from_guest("the attributes", text)?;
    check_attributes(&attributes)?;
    Ok(attributes)
}
