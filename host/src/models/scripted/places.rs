//! Places in a script's text that are filled from the request, so that an answer shows what a layer changed.

use crate::message::{Block, Message, Role, model_text};
use crate::request::ModelRequest;

/// A text with places.
#[derive(Clone, Debug)]
pub(super) struct Template(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    LastUser,
    System,
    ToolResult,
    Hint,
}

impl Template {
    /// Reads a text. A place of another name is an error: it would be a mistyped one.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, tail)) = after.split_once("}}") else { break };
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(match name.trim() {
                "last-user" => Piece::LastUser,
                "system" => Piece::System,
                "tool-result" => Piece::ToolResult,
                "hint" => Piece::Hint,
                other => {
                    return Err(format!(
                        "no place `{{{{{other}}}}}`; there are `{{{{last-user}}}}`, `{{{{system}}}}`, \
                         `{{{{tool-result}}}}` and `{{{{hint}}}}`"
                    ));
                }
            });
            rest = tail;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The text with its places filled.
    pub(super) fn fill(&self, request: &ModelRequest) -> String {
        let fill = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::LastUser => last_user(request),
            Piece::System => request.system_prompt.clone().unwrap_or_default(),
            Piece::ToolResult => last_result(request),
            Piece::Hint => last_hint(request),
        };
        self.0.iter().map(fill).collect()
    }
}

/// All text of the last message.
pub(super) fn last_text(request: &ModelRequest) -> String {
    request.messages.last().map(|message| all_text(message)).unwrap_or_default()
}

/// The text of the last user message that has any: one of a layer's remarks alone is not the user's.
pub(super) fn last_user(request: &ModelRequest) -> String {
    let texts = request.messages.iter().rev().filter(|message| message.role == Role::User);
    texts.map(|message| message.text()).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The text of the last tool result.
fn last_result(request: &ModelRequest) -> String {
    let results = request.messages.iter().flat_map(|message| message.tool_results());
    results.last().map(|result| model_text(&result.content)).unwrap_or_default()
}

/// The text of the last remark of a layer.
fn last_hint(request: &ModelRequest) -> String {
    let blocks = request.messages.iter().rev().flat_map(|message| message.content.iter().rev());
    let mut hints = blocks.filter_map(|block| match block {
        Block::Hint { text, .. } => Some(text.clone()),
        _ => None,
    });
    hints.next().unwrap_or_default()
}

/// What a message says in any of its blocks.
fn all_text(message: &Message) -> String {
    let text = |block: &Block| match block {
        Block::Text { text } | Block::Hint { text, .. } => text.clone(),
        Block::ToolResult(result) => model_text(&result.content),
        _ => String::new(),
    };
    message.content.iter().map(text).collect()
}
