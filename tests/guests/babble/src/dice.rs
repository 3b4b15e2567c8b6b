//! Chooses by the characters of a text, until it is used up.

use cepa_sdk::{
    ContentBlock, DataBlock, DataSource, Event, Message, OtherBlock, OtherPart, ResultPart, Role,
    ThinkingBlock, ToolCall, ToolEnd, ToolResult, ToolStart, ToolState,
};

/// What is left of the text.
pub struct Dice<'a>(std::str::Chars<'a>);

impl<'a> Dice<'a> {
    pub fn new(script: &'a str) -> Self {
        Self(script.chars())
    }

    pub fn is_empty(&self) -> bool {
        self.0.as_str().is_empty()
    }

    /// A number as odd as the text; 0 at its end.
    pub fn number(&mut self) -> u32 {
        self.0.next().map_or(0, u32::from)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.number() % bound
    }

    pub fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    /// The text up to the next `|`, so that JSON and words of the contract can stand in it.
    pub fn text(&mut self) -> String {
        self.0.by_ref().take_while(|char| *char != '|').collect()
    }

    fn role(&mut self) -> Role {
        match self.below(4) {
            0 => Role::System,
            1 => Role::User,
            2 => Role::Assistant,
            _ => Role::Tool,
        }
    }

    fn call(&mut self) -> ToolCall {
        ToolCall { id: self.text(), name: self.text(), arguments: self.text() }
    }

    fn data(&mut self) -> DataBlock {
        let source = if self.flag() {
            DataSource::Url(self.text())
        } else {
            DataSource::Bytes(self.text().into_bytes())
        };
        DataBlock { media_type: self.text(), source, name: None }
    }

    fn state(&mut self) -> ToolState {
        match self.below(5) {
            0 => ToolState::Success,
            1 => ToolState::Error,
            2 => ToolState::Denied,
            3 => ToolState::Interrupted,
            _ => ToolState::Parked,
        }
    }

    pub fn content(&mut self) -> Vec<ContentBlock> {
        (0..self.below(4)).map(|_| self.block()).collect()
    }

    fn block(&mut self) -> ContentBlock {
        match self.below(6) {
            0 => ContentBlock::Text(self.text()),
            1 => ContentBlock::Thinking(ThinkingBlock { text: self.text(), signature: None }),
            2 => ContentBlock::Data(self.data()),
            3 => ContentBlock::ToolCall(self.call()),
            4 => ContentBlock::ToolResult(ToolResult {
                call_id: self.text(),
                name: self.text(),
                state: self.state(),
                content: vec![self.part(), self.part()],
            }),
            _ => ContentBlock::Other(OtherBlock { name: self.text(), json: self.text() }),
        }
    }

    fn part(&mut self) -> ResultPart {
        match self.below(3) {
            0 => ResultPart::Text(self.text()),
            1 => ResultPart::Data(self.data()),
            _ => ResultPart::Other(OtherPart { name: self.text(), json: self.text() }),
        }
    }

    pub fn message(&mut self) -> Message {
        Message {
            id: self.text(),
            role: self.role(),
            name: self.flag().then(|| self.text()),
            content: self.content(),
            metadata: self.text(),
        }
    }

    pub fn event(&mut self) -> Event {
        match self.below(7) {
            0 => Event::TextEnd(self.text()),
            1 => Event::ToolCallStart(ToolStart { call_id: self.text(), name: self.text() }),
            2 => Event::ToolResultStart(ToolStart { call_id: self.text(), name: self.text() }),
            3 => Event::ToolResultEnd(ToolEnd { call_id: self.text(), state: self.state() }),
            4 => Event::Withdrawn(self.text()),
            5 => Event::ToolCallReplaced(self.call()),
            _ => Event::MessageReplaced(self.message()),
        }
    }
}
