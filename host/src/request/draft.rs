//! The final answer before it goes out.

use serde_json::Value;

use crate::message::{Block, Message};

/// The final answer before it goes out.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The answer.
    pub message: Message,
    /// The answer as JSON, when a schema was asked for.
    pub structured_output: Option<Value>,
    /// The attempt, from 1.
    pub attempt: u32,
    /// How many attempts there are at most.
    pub max_attempts: u32,
}

/// What is to happen with a [`Draft`].
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It goes out.
    Accept,
    /// This goes out instead.
    Replace(Vec<Block>),
    /// The model is asked again with this feedback.
    Retry(String),
}
