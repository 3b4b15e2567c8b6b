//! A step's reasoning: its request and its response.

use super::handle::{Values, assistant, finish_reason, handle, parameters, said_by_model};
use crate::{ContentBlock, Error, ErrorKind, FinishReason, Message, ToolChoice, Usage};

/// The data of a [`ReasoningRequest`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct ReasoningRequestData {
    pub step: u32,
    pub tool_choice: ToolChoice,
    pub tools: Vec<String>,
    /// What could be offered.
    pub catalogue: Vec<String>,
    pub hints: Vec<(String, String)>,
    pub parameters: Values,
}

handle! {
    /// One step's reasoning: what is to be asked of the model.
    ReasoningRequest of ReasoningRequestData
}
parameters!(ReasoningRequest);

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl ReasoningRequest {
    pub fn step(&self) -> u32 {
        self.0.borrow().step
    }

    pub fn tool_choice(&self) -> ToolChoice {
        self.0.borrow().tool_choice.clone()
    }

    pub fn set_tool_choice(&self, choice: &ToolChoice) {
        self.0.borrow_mut().tool_choice = choice.clone();
    }

    pub fn tools(&self) -> Vec<String> {
        self.0.borrow().tools.clone()
    }

    pub fn set_tools(&self, names: &[String]) -> Result<(), Error> {
        let mut data = self.0.borrow_mut();
        if let Some(unknown) = names.iter().find(|name| !data.catalogue.contains(name)) {
            return Err(Error::new(ErrorKind::NotFound, format!("no tool `{unknown}` in the catalogue")));
        }
        if names.iter().enumerate().any(|(at, name)| names.iter().skip(at + 1).any(|other| other == name)) {
            return Err(Error::invalid("a tool is offered twice"));
        }
        data.tools = names.to_vec();
        Ok(())
    }

    pub fn hints(&self) -> Vec<(String, String)> {
        self.0.borrow().hints.clone()
    }

    pub fn add_hint(&self, source: &str, text: &str) {
        self.0.borrow_mut().hints.push((source.to_owned(), text.to_owned()));
    }
}

/// The data of a [`ReasoningResponse`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct ReasoningResponseData {
    pub message: Message,
    pub usage: Option<Usage>,
    pub finish_reason: FinishReason,
}

handle! {
    /// What one step's reasoning came to.
    ReasoningResponse of ReasoningResponseData
}
said_by_model!(ReasoningResponse);

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl ReasoningResponse {
    pub fn new(content: &[ContentBlock]) -> Self {
        let message = assistant(content);
        let finish_reason = finish_reason(&message);
        Self::from(ReasoningResponseData { message, usage: None, finish_reason })
    }
}
