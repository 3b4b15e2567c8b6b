//! What a layer may ask of the agent: models, tools, the conversation. The rig's world holds the answers.

/// Model calls of a layer's own.
pub mod models {
    use crate::rig::{Capability, granted};
    use crate::{Error, ErrorKind, ModelRequest, ModelResponse};

    /// The granted aliases, sorted.
    pub fn aliases() -> Result<Vec<String>, Error> {
        granted(Capability::Models, |world| world.aliases.clone())
    }

    /// Asks a model: the next of the rig's completions answers.
    #[allow(clippy::needless_pass_by_value, reason = "on wasm the handle is given away")]
    pub fn complete(request: ModelRequest) -> Result<ModelResponse, Error> {
        let answer = granted(Capability::Models, |world| {
            world.completed.push(request.data());
            world.completions.pop_front()
        })?;
        answer.unwrap_or_else(|| Err(Error::new(ErrorKind::NotFound, "the rig has no completion left")))
    }
}

/// The agent's tools.
pub mod tools {
    use crate::rig::{Capability, World, granted};
    use crate::{Error, ErrorKind, ToolDefinition, ToolResponse};

    fn unknown(name: &str) -> Error {
        Error::new(ErrorKind::NotFound, format!("no tool `{name}` in the catalogue"))
    }

    fn known(world: &World, name: &str) -> Result<(), Error> {
        let found = world.catalogue.iter().any(|tool| tool.name == name);
        if found { Ok(()) } else { Err(unknown(name)) }
    }

    /// The granted part of the catalogue.
    pub fn catalogue() -> Result<Vec<ToolDefinition>, Error> {
        granted(Capability::Tools, |world| world.catalogue.clone())
    }

    /// Offers a catalogued tool.
    pub fn offer(name: &str) -> Result<(), Error> {
        granted(Capability::Tools, |world| {
            known(world, name)?;
            world.offered.insert(name.to_owned());
            Ok(())
        })?
    }

    /// Stops offering a tool.
    pub fn withhold(name: &str) -> Result<(), Error> {
        granted(Capability::Tools, |world| {
            known(world, name)?;
            world.offered.remove(name);
            Ok(())
        })?
    }

    /// Runs a tool: the next of the rig's tool answers.
    pub fn call(name: &str, arguments: &str) -> Result<ToolResponse, Error> {
        granted(Capability::Tools, |world| {
            known(world, name)?;
            world.called.push((name.to_owned(), arguments.to_owned()));
            world.tool_answers.pop_front().unwrap_or_else(|| Err(unknown(name)))
        })?
    }
}

/// The session's conversation.
pub mod conversation {
    use std::ops::Range;

    use crate::rig::{Capability, granted};
    use crate::{Error, Message};

    fn range(start: u32, end: u32, count: usize) -> Result<Range<usize>, Error> {
        let range = start as usize..end as usize;
        if range.start > range.end || range.end > count {
            return Err(Error::invalid(format!(
                "range {start} to {end} is out of bounds: there are {count} messages"
            )));
        }
        Ok(range)
    }

    /// How many messages there are.
    pub fn count() -> Result<u32, Error> {
        granted(Capability::Conversation, |world| u32::try_from(world.conversation.len()).unwrap_or(u32::MAX))
    }

    /// The messages from index `start` to before `end`.
    pub fn read(start: u32, end: u32) -> Result<Vec<Message>, Error> {
        granted(Capability::Conversation, |world| {
            let range = range(start, end, world.conversation.len())?;
            Ok(world.conversation.get(range).unwrap_or_default().to_vec())
        })?
    }

    /// Replaces that range. A call and its result go together.
    pub fn replace(start: u32, end: u32, messages: &[Message]) -> Result<(), Error> {
        granted(Capability::Conversation, |world| {
            let range = range(start, end, world.conversation.len())?;
            let mut changed = world.conversation.clone();
            changed.splice(range, messages.iter().cloned());
            check(&changed)?;
            world.conversation = changed;
            Ok(())
        })?
    }

    /// Refuses a conversation in which a call has no result, or a result no call before it.
    fn check(messages: &[Message]) -> Result<(), Error> {
        let mut waiting: Vec<&str> = Vec::new();
        for message in messages {
            for result in message.tool_results() {
                let Some(at) = waiting.iter().position(|call| *call == result.call_id) else {
                    let text = format!("the result of call `{}` would lose its call", result.call_id);
                    return Err(Error::invalid(text));
                };
                waiting.remove(at);
            }
            waiting.extend(message.tool_calls().map(|call| call.id.as_str()));
        }
        match waiting.first() {
            Some(call) => Err(Error::invalid(format!("call `{call}` would lose its result"))),
            None => Ok(()),
        }
    }
}
