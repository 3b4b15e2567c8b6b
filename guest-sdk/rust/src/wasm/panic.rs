//! A panic ends in a trap, which carries no text; so the text goes to the log first.

use std::panic;

use crate::bindings::cepa::middleware::log::{Level, write};

pub(super) fn install() {
    panic::set_hook(Box::new(|info| write(Level::Error, &info.to_string())));
}
