//! A model that says what it is told to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use cepa::chain::Sink;
use cepa::error::Error;
use cepa::event::Event;
use cepa::message::{Block, FinishReason, ToolCall, Usage};
use cepa::model::Model;
use cepa::request::{ModelRequest, ModelResponse};
use futures::future::BoxFuture;
use serde_json::Value;

/// One answer of a [`Script`].
#[derive(Clone, Debug)]
pub(crate) enum Say {
    /// These blocks, each in pieces of a few letters.
    Blocks(Vec<Block>, FinishReason),
    /// These blocks, then an error.
    Break(Vec<Block>, Error),
    /// These blocks, then nothing for ever.
    Hang(Vec<Block>),
    /// These blocks, the last one without its end, then nothing for ever.
    Stuck(Vec<Block>),
    /// A text without end.
    Endless,
    /// A panic.
    Panic,
}

/// A model that gives its answers in order, and notes what it was asked.
#[derive(Debug, Default)]
pub(crate) struct Script {
    answers: Mutex<VecDeque<Say>>,
    asked: Mutex<Vec<ModelRequest>>,
}

impl Script {
    pub(crate) fn new(answers: impl IntoIterator<Item = Say>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter().collect()), asked: Mutex::default() })
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Model for Script {
    fn provider(&self) -> &'static str {
        "scripted"
    }

    fn model_name(&self) -> &'static str {
        "script-1"
    }

    fn call(
        &self,
        request: ModelRequest,
        call_id: String,
        out: Sink,
    ) -> BoxFuture<'static, Result<ModelResponse, Error>> {
        self.asked.lock().unwrap().push(request);
        let say = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            if !matches!(say, Some(Say::Panic)) {
                out.spent(&usage());
            }
            match say.unwrap_or_else(|| panic!("the script has no further answer")) {
                Say::Blocks(blocks, finish) => {
                    stream(&blocks, &call_id, &out).await?;
                    let mut response = ModelResponse::answer(blocks);
                    response.edit().finish_reason = finish;
                    response.edit().usage = Some(usage());
                    Ok(response)
                }
                Say::Break(blocks, error) => {
                    stream(&blocks, &call_id, &out).await?;
                    Err(error)
                }
                Say::Hang(blocks) => {
                    stream(&blocks, &call_id, &out).await?;
                    std::future::pending().await
                }
                Say::Stuck(blocks) => {
                    let last = out.gated(is_no_end_of(blocks.last().cloned(), &call_id, blocks.len()));
                    stream(&blocks, &call_id, &last).await?;
                    std::future::pending().await
                }
                Say::Endless => {
                    out.send(Event::TextStart { id: call_id.clone() }).await?;
                    for word in 0_u32.. {
                        out.send(Event::TextDelta { id: call_id.clone(), text: format!("{word} ") }).await?;
                        tokio::task::yield_now().await;
                    }
                    Err(Error::internal("there are no more numbers"))
                }
                Say::Panic => panic!("the model broke"),
            }
        })
    }
}

fn usage() -> Usage {
    Usage { input_tokens: Some(10), output_tokens: Some(2), ..Usage::default() }
}

async fn stream(blocks: &[Block], call_id: &str, out: &Sink) -> Result<(), Error> {
    for (at, block) in blocks.iter().enumerate() {
        let id = format!("{call_id}.{at}");
        let (start, end): (Event, Event) = match block {
            Block::Text { .. } => (Event::TextStart { id: id.clone() }, Event::TextEnd { id: id.clone() }),
            Block::Thinking { .. } => {
                (Event::ThinkingStart { id: id.clone() }, Event::ThinkingEnd { id: id.clone() })
            }
            Block::ToolCall(call) => (
                Event::ToolCallStart { call_id: call.id.clone(), name: call.name.clone() },
                Event::ToolCallEnd { call_id: call.id.clone() },
            ),
            _ => continue,
        };
        out.send(start).await?;
        for text in pieces(block) {
            out.send(match block {
                Block::ToolCall(call) => Event::ToolCallDelta { call_id: call.id.clone(), text },
                Block::Thinking { .. } => Event::ThinkingDelta { id: id.clone(), text },
                _ => Event::TextDelta { id: id.clone(), text },
            })
            .await?;
        }
        out.send(end).await?;
    }
    Ok(())
}

/// Lets everything pass but the end of the last block.
fn is_no_end_of(last: Option<Block>, call_id: &str, count: usize) -> impl Fn(&Event) -> bool + use<> {
    let own = match last {
        Some(Block::ToolCall(call)) => call.id,
        _ => format!("{call_id}.{}", count.saturating_sub(1)),
    };
    move |event| match event {
        Event::TextEnd { id } | Event::ThinkingEnd { id } | Event::ToolCallEnd { call_id: id } => *id != own,
        _ => true,
    }
}

fn pieces(block: &Block) -> Vec<String> {
    let text = match block {
        Block::Text { text } | Block::Thinking { text, .. } => text,
        Block::ToolCall(call) => &call.arguments,
        _ => return Vec::new(),
    };
    text.chars().collect::<Vec<_>>().chunks(12).map(|piece| piece.iter().collect()).collect()
}

pub(crate) fn text(text: &str) -> Block {
    Block::Text { text: text.to_owned() }
}

pub(crate) fn thinking(text: &str) -> Block {
    Block::Thinking { text: text.to_owned(), signature: Some("sig".to_owned()) }
}

pub(crate) fn call(id: &str, name: &str, arguments: &Value) -> Block {
    raw_call(id, name, &arguments.to_string())
}

pub(crate) fn raw_call(id: &str, name: &str, arguments: &str) -> Block {
    Block::ToolCall(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
}

/// An answer of one text.
pub(crate) fn says(words: &str) -> Say {
    Say::Blocks(vec![text(words)], FinishReason::Stop)
}

/// An answer that calls tools.
pub(crate) fn calls<const N: usize>(blocks: [Block; N]) -> Say {
    Say::Blocks(blocks.into(), FinishReason::ToolCalls)
}
