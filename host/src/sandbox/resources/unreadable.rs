//! Responses that were made of what can't be read.

use std::collections::HashMap;

use crate::error::Error;

/// What is wrong with the content of a response, by the number of its handle.
#[derive(Debug, Default)]
pub(in crate::sandbox) struct Unreadable(HashMap<u32, Error>);

impl Unreadable {
    pub(super) fn put(&mut self, response: u32, error: Error) {
        self.0.insert(response, error);
    }

    /// The same is wrong with a copy.
    pub(super) fn copy(&mut self, response: u32, copy: u32) {
        if let Some(error) = self.0.get(&response) {
            self.0.insert(copy, error.clone());
        }
    }

    /// What is wrong with a response that is no more, or that has other content now.
    pub(in crate::sandbox) fn take(&mut self, response: u32) -> Option<Error> {
        self.0.remove(&response)
    }
}
