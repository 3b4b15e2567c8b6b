//! The check whether to compress the context, and what it came to.

use super::handle::handle;

/// The data of a [`CompressRequest`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct CompressRequestData {
    pub step: u32,
    pub message_count: u32,
    pub estimated_tokens: u32,
    pub context_tokens: Option<u32>,
    pub instructions: Option<String>,
}

handle! {
    /// The check whether to compress the context, before each step.
    CompressRequest of CompressRequestData
}

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl CompressRequest {
    pub fn step(&self) -> u32 {
        self.0.borrow().step
    }

    pub fn message_count(&self) -> u32 {
        self.0.borrow().message_count
    }

    pub fn estimated_tokens(&self) -> u32 {
        self.0.borrow().estimated_tokens
    }

    pub fn context_tokens(&self) -> Option<u32> {
        self.0.borrow().context_tokens
    }

    pub fn instructions(&self) -> Option<String> {
        self.0.borrow().instructions.clone()
    }

    pub fn set_instructions(&self, text: Option<&str>) {
        self.0.borrow_mut().instructions = text.map(str::to_owned);
    }
}

/// The data of a [`CompressResponse`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct CompressResponseData {
    pub compressed: bool,
    pub summary: Option<String>,
}

handle! {
    /// What the check came to.
    CompressResponse of CompressResponseData
}

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl CompressResponse {
    pub fn new(compressed: bool, summary: Option<&str>) -> Self {
        Self::from(CompressResponseData { compressed, summary: summary.map(str::to_owned) })
    }

    pub fn compressed(&self) -> bool {
        self.0.borrow().compressed
    }

    pub fn summary(&self) -> Option<String> {
        self.0.borrow().summary.clone()
    }
}
