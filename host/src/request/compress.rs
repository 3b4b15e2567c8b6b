//! The check whether to compress the context.

use super::shared;

/// The data of a [`CompressRequest`].
#[derive(Clone, Debug, Default)]
pub struct CompressRequestData {
    /// The step that is about to begin.
    pub step: u32,
    /// How long the conversation is.
    pub message_count: u32,
    /// An estimate of the tokens of the next request.
    pub estimated_tokens: u32,
    /// The size of the model's context in tokens, where the manifest says it.
    pub context_tokens: Option<u32>,
    /// What the compression is told to keep.
    pub instructions: Option<String>,
}

shared! {
    /// The check whether to compress the context.
    CompressRequest of CompressRequestData
}

/// The data of a [`CompressResponse`].
#[derive(Clone, Debug, Default)]
pub struct CompressResponseData {
    /// Whether the conversation was compressed.
    pub compressed: bool,
    /// What stands for the removed part.
    pub summary: Option<String>,
}

shared! {
    /// What the check came to.
    CompressResponse of CompressResponseData
}
