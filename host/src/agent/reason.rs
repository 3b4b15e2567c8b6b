//! One step's reasoning: the prompt, the request, the model.

use std::collections::HashSet;
use std::sync::Arc;

use crate::chain::{ModelCall, Reasoning, Sink, endpoint_fn, guarded};
use crate::error::{Error, ErrorKind};
use crate::event::{Event, EventKinds};
use crate::message::{Block, FinishReason, Message, Role, ToolChoice, ToolDefinition};
use crate::request::{
    ModelRequest, ModelRequestData, ModelResponse, ReasoningRequest, ReasoningRequestData, ReasoningResponse,
    ReasoningResponseData, ReplyRequest,
};

use super::Inner;
use super::integrity;
use super::turn::Turn;

/// What a model may send while it answers.
const MODEL_EVENTS: EventKinds =
    EventKinds::TEXT.with(EventKinds::THINKING).with(EventKinds::DATA).with(EventKinds::TOOL_CALL);

impl Turn {
    /// Asks for the next message. `aside` stands behind the conversation and is not stored; with it no tool is offered.
    pub(super) async fn reason(
        self: &Arc<Self>,
        step: u32,
        reply: &ReplyRequest,
        choice: ToolChoice,
        aside: Arc<Vec<Message>>,
        out: &Sink,
    ) -> Result<ReasoningResponse, Error> {
        let request = ReasoningRequest::new(ReasoningRequestData {
            step,
            tool_choice: choice,
            tools: if aside.is_empty() { self.offers() } else { Vec::new() },
            catalogue: self.lineup.tools.catalogue(),
            hints: Vec::new(),
            parameters: self.agent.parameters.clone(),
        });
        let (turn, reply) = (Arc::clone(self), reply.clone());
        let endpoint = endpoint_fn(move |request, out| {
            Arc::clone(&turn).think(request, reply.clone(), Arc::clone(&aside), out)
        });
        let response = self.chain.call::<Reasoning>(request, endpoint, out.clone()).await?;
        integrity::check_answer(&response.message)?;
        Ok(response)
    }

    async fn think(
        self: Arc<Self>,
        request: ReasoningRequest,
        reply: ReplyRequest,
        aside: Arc<Vec<Message>>,
        out: Sink,
    ) -> Result<ReasoningResponse, Error> {
        let prompt = self.agent.system_prompt.clone().unwrap_or_default();
        let prompt = self.chain.system_prompt(prompt).await?;
        let mut messages = self.conversation.messages();
        if !aside.is_empty() || !request.hints.is_empty() {
            let all = Arc::make_mut(&mut messages);
            all.extend(aside.iter().cloned().map(Arc::new));
            all.extend(hint_message(&request.hints).map(Arc::new));
        }
        for (source, text) in &request.hints {
            let (id, source, text) = (self.context.world.id(), source.clone(), text.clone());
            out.send(Event::Hint { id, source, text }).await?;
        }
        let tools = Arc::new(offered(&request));
        self.set_offered(Arc::clone(&tools), &request.tool_choice);
        let request = ModelRequest::new(ModelRequestData {
            model: self.agent.main.clone(),
            system_prompt: Some(prompt).filter(|prompt| !prompt.is_empty()),
            messages,
            tools,
            tool_choice: request.tool_choice.clone(),
            output_schema: reply.output_schema.clone(),
            parameters: request.parameters.clone(),
            ..ModelRequestData::default()
        });
        let turn = Arc::clone(&self);
        let endpoint = endpoint_fn(move |request, out| Arc::clone(&turn).ask_model(request, out));
        let response = self.chain.call::<ModelCall>(request, endpoint, out).await?;
        integrity::check_answer(&response.message)?;
        self.settle_offer(&response.id);
        Ok(ReasoningResponse::new(ReasoningResponseData {
            message: response.message.clone(),
            usage: response.usage.clone(),
            finish_reason: response.finish_reason,
        }))
    }

    /// The endpoint of `on-model-call`: asks the model, counts what it cost, and says when it began and ended.
    ///
    /// A conversation that layers have torn apart is refused here, for no model is to see half a tool call.
    pub(super) async fn ask_model(
        self: Arc<Self>,
        request: ModelRequest,
        out: Sink,
    ) -> Result<ModelResponse, Error> {
        let id = self.context.world.id();
        let out = if request.internal { Sink::discard() } else { out };
        let model = model(&self.agent, &request.model)?;
        integrity::check(request.messages.iter().map(|message| &**message), &[])?;
        check_offer(&request)?;
        if !request.internal {
            self.note_offer(&id, Arc::clone(&request.tools), &request.tool_choice);
        }
        let alias = request.model.clone();
        out.send(Event::ModelCallStart { id: id.clone(), model: model.model_name().to_owned() }).await?;
        let metered = out.metered(self.spending.begin(&id, &alias));
        let gated = metered.gated(|event| MODEL_EVENTS.contains(event.kind()));
        let result = guarded("the model's adapter", model.call(request, id.clone(), gated)).await;
        let end = match &result {
            Ok(response) => {
                self.spending.answered(&id, response.usage.as_ref());
                let (finish_reason, usage) = (response.finish_reason, response.usage.clone());
                Event::ModelCallEnd { id: id.clone(), finish_reason, usage, error: None }
            }
            Err(error) => Event::ModelCallEnd {
                id: id.clone(),
                finish_reason: FinishReason::Other,
                usage: self.spending.failed(&id),
                error: Some(error.clone()),
            },
        };
        out.send(end).await?;
        let mut response = result?;
        let data = response.edit();
        data.id = id;
        data.model = alias;
        Ok(response)
    }
}

/// The model with this alias. Layers see the error, so the aliases that there are go to the log alone.
fn model(agent: &Inner, alias: &str) -> Result<Arc<dyn crate::model::Model>, Error> {
    agent.models.get(alias).cloned().ok_or_else(|| {
        let known = agent.models.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        tracing::warn!("no model has the alias `{alias}`; there are: {known}");
        Error::new(ErrorKind::NotFound, format!("no model has the alias `{alias}`"))
    })
}

/// Refuses an offer that no provider takes: tools without a name of their own, or a choice that is not among them.
fn check_offer(request: &ModelRequest) -> Result<(), Error> {
    let mut names = HashSet::new();
    for tool in &*request.tools {
        if tool.name.is_empty() {
            return Err(Error::invalid("a tool without a name is offered"));
        }
        if !names.insert(tool.name.as_str()) {
            return Err(Error::invalid(format!("tool `{}` is offered twice", tool.name)));
        }
    }
    match &request.tool_choice {
        ToolChoice::Named(name) if !names.contains(name.as_str()) => {
            Err(Error::invalid(format!("the tool choice names `{name}`, which is not offered")))
        }
        _ => Ok(()),
    }
}

/// The definitions of the offered names.
fn offered(request: &ReasoningRequest) -> Vec<ToolDefinition> {
    let named = |name: &String| request.catalogue.iter().find(|tool| tool.name == *name).cloned();
    request.tools.iter().filter_map(named).collect()
}

/// The hints as the model sees them.
fn hint_message(hints: &[(String, String)]) -> Option<Message> {
    let block =
        |(source, text): &(String, String)| Block::Hint { source: source.clone(), text: text.clone() };
    (!hints.is_empty()).then(|| Message::new(Role::User, hints.iter().map(block).collect()))
}
