//! A reply's request and its response.

use super::handle::{Values, assistant, handle, json_object, metadata};
use crate::{ContentBlock, Error, Message, Outcome, Role, ToolChoice, Usage};

/// The data of a [`ReplyRequest`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct ReplyRequestData {
    pub input: Vec<Message>,
    pub resumed: bool,
    pub output_schema: Option<String>,
    pub tool_choice: ToolChoice,
    pub metadata: Values,
}

handle! {
    /// The input of one reply.
    ReplyRequest of ReplyRequestData
}
metadata!(ReplyRequest);

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl ReplyRequest {
    pub fn input(&self) -> Vec<Message> {
        self.0.borrow().input.clone()
    }

    pub fn set_input(&self, messages: &[Message]) -> Result<(), Error> {
        if messages.iter().any(|message| !matches!(message.role, Role::User | Role::Assistant)) {
            return Err(Error::invalid("only the roles `user` and `assistant` are accepted"));
        }
        let mut content = messages.iter().flat_map(|message| &message.content);
        if content.any(|it| matches!(it, ContentBlock::ToolCall(_) | ContentBlock::ToolResult(_))) {
            return Err(Error::invalid("no tool calls and no tool results are accepted"));
        }
        self.0.borrow_mut().input = messages.to_vec();
        Ok(())
    }

    pub fn resumed(&self) -> bool {
        self.0.borrow().resumed
    }

    pub fn output_schema(&self) -> Option<String> {
        self.0.borrow().output_schema.clone()
    }

    pub fn set_output_schema(&self, schema: Option<&str>) -> Result<(), Error> {
        schema.map_or(Ok(()), json_object)?;
        self.0.borrow_mut().output_schema = schema.map(str::to_owned);
        Ok(())
    }

    pub fn tool_choice(&self) -> ToolChoice {
        self.0.borrow().tool_choice.clone()
    }

    pub fn set_tool_choice(&self, choice: &ToolChoice) {
        self.0.borrow_mut().tool_choice = choice.clone();
    }
}

/// The data of a [`ReplyResponse`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct ReplyResponseData {
    pub outcome: Outcome,
    pub message: Option<Message>,
    pub structured_output: Option<String>,
    pub error: Option<Error>,
    pub usage: Usage,
    pub steps: u32,
}

handle! {
    /// The result of one reply.
    ReplyResponse of ReplyResponseData
}

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl ReplyResponse {
    pub fn new(content: &[ContentBlock]) -> Self {
        Self::from(ReplyResponseData {
            outcome: Outcome::Replied,
            message: Some(assistant(content)),
            structured_output: None,
            error: None,
            usage: Usage::unknown(),
            steps: 0,
        })
    }

    pub fn outcome(&self) -> Outcome {
        self.0.borrow().outcome
    }

    pub fn message(&self) -> Option<Message> {
        self.0.borrow().message.clone()
    }

    pub fn text(&self) -> String {
        self.0.borrow().message.as_ref().map(Message::text).unwrap_or_default()
    }

    pub fn set_content(&self, content: &[ContentBlock]) -> Result<(), Error> {
        let mut data = self.0.borrow_mut();
        match &mut data.message {
            Some(message) => message.content = content.to_vec(),
            None => data.message = Some(assistant(content)),
        }
        Ok(())
    }

    pub fn structured_output(&self) -> Option<String> {
        self.0.borrow().structured_output.clone()
    }

    pub fn error(&self) -> Option<Error> {
        self.0.borrow().error.clone()
    }

    pub fn usage(&self) -> Usage {
        self.0.borrow().usage.clone()
    }

    pub fn steps(&self) -> u32 {
        self.0.borrow().steps
    }
}
