//! Steers the first step's reasoning: a hint, other tools, a parameter, an edit that is refused; and adds a word to
//! each answer.

use cepa_sdk::{
    ContentBlock, Error, Middleware, OnReasoning, ReasoningNext, ReasoningRequest, ReasoningResponse, Sink,
    ToolChoice, info,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Config {
    hint: String,
    tools: Vec<String>,
}

struct Steer(Config);

impl Middleware for Steer {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl Steer {
    fn steer(&self, request: &ReasoningRequest) -> Result<(), Error> {
        for refused in [
            request.set_tools(&["no-such-tool".to_owned()]),
            request.set_parameter("temperature", Some("{not json")),
        ] {
            info!("{:?}", refused.map_err(|error| error.message));
        }
        info!("step {} offers {:?}", request.step(), request.tools());
        request.add_hint("steer", &self.0.hint);
        request.set_tools(&self.0.tools)?;
        request.set_tool_choice(&ToolChoice::Required);
        request.set_parameter("temperature", Some("0.5"))
    }
}

impl OnReasoning for Steer {
    fn on_reasoning(
        &self,
        request: ReasoningRequest,
        next: ReasoningNext,
        _: Sink,
    ) -> Result<ReasoningResponse, Error> {
        if request.step() == 1 {
            self.steer(&request)?;
        }
        let response = next.run(request)?;
        if response.tool_calls().is_empty() {
            response.set_content(&[ContentBlock::Text(format!("{} Indeed.", response.text()))])?;
        }
        Ok(response)
    }
}

cepa_sdk::export!(Steer: OnReasoning);
