//! A tool request and its response.

use super::handle::{Values, handle, json, json_object, metadata};
use crate::{Error, ResultPart, ToolDefinition, ToolState};

/// The data of a [`ToolRequest`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct ToolRequestData {
    pub call_id: String,
    pub name: String,
    pub arguments: String,
    /// What the tools that the model was offered are.
    pub offered: Vec<ToolDefinition>,
    pub metadata: Values,
}

handle! {
    /// One tool execution.
    ToolRequest of ToolRequestData
}
metadata!(ToolRequest);

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl ToolRequest {
    pub fn call_id(&self) -> String {
        self.0.borrow().call_id.clone()
    }

    pub fn name(&self) -> String {
        self.0.borrow().name.clone()
    }

    pub fn set_name(&self, name: &str) {
        name.clone_into(&mut self.0.borrow_mut().name);
    }

    pub fn arguments(&self) -> String {
        self.0.borrow().arguments.clone()
    }

    pub fn set_arguments(&self, arguments: &str) -> Result<(), Error> {
        json_object(arguments)?;
        arguments.clone_into(&mut self.0.borrow_mut().arguments);
        Ok(())
    }

    pub fn definition(&self) -> Option<ToolDefinition> {
        let data = self.0.borrow();
        data.offered.iter().find(|tool| tool.name == data.name).cloned()
    }
}

/// The data of a [`ToolResponse`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is documented at its method in wit/requests.wit")]
pub struct ToolResponseData {
    pub state: ToolState,
    pub content: Vec<ResultPart>,
    pub metadata: Values,
}

handle! {
    /// What a tool answered.
    ToolResponse of ToolResponseData
}
metadata!(ToolResponse);

#[expect(missing_docs, reason = "each method is documented in wit/requests.wit")]
impl ToolResponse {
    pub fn new(state: ToolState, content: &[ResultPart]) -> Self {
        Self::from(ToolResponseData { state, content: content.to_vec(), metadata: Values::new() })
    }

    pub fn state(&self) -> ToolState {
        self.0.borrow().state
    }

    pub fn content(&self) -> Vec<ResultPart> {
        self.0.borrow().content.clone()
    }

    pub fn text(&self) -> String {
        let data = self.0.borrow();
        let texts = data.content.iter().filter_map(|part| match part {
            ResultPart::Text(text) => Some(text.as_str()),
            ResultPart::Data(_) | ResultPart::Other(_) => None,
        });
        texts.collect()
    }

    pub fn set_content(&self, content: &[ResultPart]) -> Result<(), Error> {
        for part in content {
            if let ResultPart::Other(other) = part {
                json(&other.json)?;
            }
        }
        self.0.borrow_mut().content = content.to_vec();
        Ok(())
    }
}
