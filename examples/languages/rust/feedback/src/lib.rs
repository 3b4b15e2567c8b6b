//! Asks the model again, with feedback, while its answer lacks what it must contain.

use cepa_sdk::{Error, Message, Middleware, ModelNext, ModelRequest, ModelResponse, OnModelCall, Sink, info};
use schemars::JsonSchema;
use serde::Deserialize;

/// The configuration.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// What an answer must contain.
    pub must_contain: String,
    /// How often the model is asked at most.
    #[serde(default = "twice")]
    #[schemars(range(min = 1, max = 10))]
    pub attempts: u32,
}

fn twice() -> u32 {
    2
}

/// The middleware.
#[derive(Debug)]
pub struct Feedback(Config);

impl Middleware for Feedback {
    type Config = Config;

    fn new(config: Config) -> Result<Self, Error> {
        Ok(Self(config))
    }
}

impl OnModelCall for Feedback {
    fn on_model_call(&self, request: ModelRequest, next: ModelNext, _: Sink) -> Result<ModelResponse, Error> {
        let wanted = &self.0.must_contain;
        let mut response = next.run(request.clone())?;
        for attempt in 2..=self.0.attempts {
            // An answer with tool calls is not the last word: the results come first.
            if response.text().contains(wanted) || !response.tool_calls().is_empty() {
                break;
            }
            info!("feedback: attempt {attempt}");
            request.push_message(&response.message())?;
            let told = format!("Your answer must contain \"{wanted}\". Answer again.");
            request.push_message(&Message::user(told))?;
            response = next.run(request.clone())?;
        }
        Ok(response)
    }
}

cepa_sdk::export!(Feedback: OnModelCall);

#[cfg(test)]
mod tests {
    use super::*;
    use cepa_sdk::rig::{Answer, Rig};

    #[test]
    fn the_model_is_asked_until_its_answer_will_do() -> Result<(), Error> {
        let rig = Rig::<Feedback>::new(Config { must_contain: "yes".to_owned(), attempts: 3 })?;
        let answers = ["no", "yes", "never asked"].map(Answer::text);
        let called = rig.on_model_call(ModelRequest::new("main"), answers);
        assert_eq!(called.result?.text(), "yes");
        assert_eq!(called.requests.len(), 2);
        Ok(())
    }
}
