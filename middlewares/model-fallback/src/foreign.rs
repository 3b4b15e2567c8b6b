//! What another provider would refuse.

use cepa_sdk::{ContentBlock, Error, Message, ModelRequest};

use crate::Config;

/// The parameters that the contract names; the host says each in every provider's way.
const SHARED: [&str; 6] = ["temperature", "top-p", "max-tokens", "stop", "seed", "reasoning-effort"];

/// Takes off what belongs to the provider that failed.
pub(crate) fn strip(request: &ModelRequest, config: &Config) -> Result<(), Error> {
    for (name, _) in request.parameters() {
        let known = SHARED.contains(&name.as_str()) || config.keep_parameters.contains(&name);
        if !known || config.drop_parameters.contains(&name) {
            request.set_parameter(&name, None)?;
        }
    }
    if config.drop_thinking { strip_thinking(request) } else { Ok(()) }
}

fn strip_thinking(request: &ModelRequest) -> Result<(), Error> {
    let mut messages = request.messages();
    if !messages.iter().any(has_thinking) {
        return Ok(());
    }
    for message in &mut messages {
        message.content.retain(|block| !matches!(block, ContentBlock::Thinking(_)));
    }
    // A message of nothing but thinking has nothing left to say.
    messages.retain(|message| !message.content.is_empty());
    request.set_messages(&messages)
}

fn has_thinking(message: &Message) -> bool {
    message.content.iter().any(|block| matches!(block, ContentBlock::Thinking(_)))
}
