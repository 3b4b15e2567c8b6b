//! A model request and its response.

use super::handle::{
    Values, assistant, finish_reason, handle, json_object, metadata, parameters, said_by_model,
};
use crate::{ContentBlock, Error, FinishReason, Message, ToolChoice, ToolDefinition, Usage};

/// The data of a [`ModelRequest`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct ModelRequestData {
    pub model: String,
    pub system_prompt: Option<String>,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolDefinition>,
    pub tool_choice: ToolChoice,
    pub output_schema: Option<String>,
    pub parameters: Values,
    pub internal: bool,
    pub metadata: Values,
}

handle! {
    /// One request to a model.
    ModelRequest of ModelRequestData
}
metadata!(ModelRequest);
parameters!(ModelRequest);

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl ModelRequest {
    pub fn new(model: &str) -> Self {
        Self::from(ModelRequestData {
            model: model.to_owned(),
            system_prompt: None,
            messages: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            output_schema: None,
            parameters: Values::new(),
            internal: false,
            metadata: Values::new(),
        })
    }

    pub fn model(&self) -> String {
        self.0.borrow().model.clone()
    }

    pub fn set_model(&self, alias: &str) {
        alias.clone_into(&mut self.0.borrow_mut().model);
    }

    pub fn system_prompt(&self) -> Option<String> {
        self.0.borrow().system_prompt.clone()
    }

    pub fn set_system_prompt(&self, prompt: Option<&str>) {
        self.0.borrow_mut().system_prompt = prompt.map(str::to_owned);
    }

    pub fn message_count(&self) -> u32 {
        u32::try_from(self.0.borrow().messages.len()).unwrap_or(u32::MAX)
    }

    pub fn message(&self, index: u32) -> Result<Message, Error> {
        let data = self.0.borrow();
        data.messages.get(index as usize).cloned().ok_or_else(|| out_of_range(index, data.messages.len()))
    }

    pub fn messages(&self) -> Vec<Message> {
        self.0.borrow().messages.clone()
    }

    pub fn set_messages(&self, messages: &[Message]) -> Result<(), Error> {
        self.0.borrow_mut().messages = messages.to_vec();
        Ok(())
    }

    pub fn push_message(&self, message: &Message) -> Result<(), Error> {
        self.0.borrow_mut().messages.push(message.clone());
        Ok(())
    }

    pub fn insert_message(&self, index: u32, message: &Message) -> Result<(), Error> {
        let messages = &mut self.0.borrow_mut().messages;
        if index as usize > messages.len() {
            return Err(out_of_range(index, messages.len()));
        }
        messages.insert(index as usize, message.clone());
        Ok(())
    }

    pub fn replace_message(&self, index: u32, message: &Message) -> Result<(), Error> {
        let messages = &mut self.0.borrow_mut().messages;
        let count = messages.len();
        let slot = messages.get_mut(index as usize).ok_or_else(|| out_of_range(index, count))?;
        slot.clone_from(message);
        Ok(())
    }

    pub fn remove_message(&self, index: u32) -> Result<(), Error> {
        let messages = &mut self.0.borrow_mut().messages;
        if index as usize >= messages.len() {
            return Err(out_of_range(index, messages.len()));
        }
        messages.remove(index as usize);
        Ok(())
    }

    pub fn tools(&self) -> Vec<ToolDefinition> {
        self.0.borrow().tools.clone()
    }

    pub fn set_tools(&self, tools: &[ToolDefinition]) -> Result<(), Error> {
        for tool in tools {
            json_object(&tool.parameters)?;
        }
        self.0.borrow_mut().tools = tools.to_vec();
        Ok(())
    }

    pub fn tool_choice(&self) -> ToolChoice {
        self.0.borrow().tool_choice.clone()
    }

    pub fn set_tool_choice(&self, choice: &ToolChoice) {
        self.0.borrow_mut().tool_choice = choice.clone();
    }

    pub fn output_schema(&self) -> Option<String> {
        self.0.borrow().output_schema.clone()
    }

    pub fn set_output_schema(&self, schema: Option<&str>) -> Result<(), Error> {
        schema.map_or(Ok(()), json_object)?;
        self.0.borrow_mut().output_schema = schema.map(str::to_owned);
        Ok(())
    }

    pub fn parameters(&self) -> Vec<(String, String)> {
        self.0.borrow().parameters.clone().into_iter().collect()
    }

    pub fn internal(&self) -> bool {
        self.0.borrow().internal
    }
}

fn out_of_range(index: u32, count: usize) -> Error {
    Error::invalid(format!("message index {index} is out of range: there are {count} messages"))
}

/// The data of a [`ModelResponse`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct ModelResponseData {
    pub id: String,
    pub model: String,
    pub reported_model: Option<String>,
    pub provider: String,
    pub message: Message,
    pub usage: Option<Usage>,
    pub finish_reason: FinishReason,
    pub metadata: Values,
}

handle! {
    /// What a model answered.
    ModelResponse of ModelResponseData
}
said_by_model!(ModelResponse);
metadata!(ModelResponse);

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl ModelResponse {
    pub fn new(content: &[ContentBlock]) -> Self {
        let message = assistant(content);
        let finish_reason = finish_reason(&message);
        Self::from(ModelResponseData {
            id: String::new(),
            model: String::new(),
            reported_model: None,
            provider: String::new(),
            message,
            usage: None,
            finish_reason,
            metadata: Values::new(),
        })
    }

    pub fn id(&self) -> String {
        self.0.borrow().id.clone()
    }

    pub fn model(&self) -> String {
        self.0.borrow().model.clone()
    }

    pub fn reported_model(&self) -> Option<String> {
        self.0.borrow().reported_model.clone()
    }

    pub fn provider(&self) -> String {
        self.0.borrow().provider.clone()
    }
}
