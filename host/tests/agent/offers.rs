//! Tools that come and go while a reply runs: what is not offered is not run.

use std::sync::{Arc, Mutex};

use cepa::chain::{HookFuture, HookKind, Layer, ModelCall, Next, Reasoning, Sink};
use cepa::event::EventKinds;
use cepa::message::{ToolChoice, ToolDefinition, ToolState};
use cepa::request::{
    ModelRequest, ModelRequestData, ModelResponse, ReasoningRequest, ReasoningResponse, ToolResponse,
};
use cepa::services::Services;
use cepa::tool::{Tool, ToolList, ToolOwner, ToolProvider};
use futures::future::BoxFuture;
use serde_json::json;

use crate::rig::{Double, Script, agent, call, calls, entry, line, opened, says, turn};

/// Four steps: `look`, then `see` three times, then an answer.
fn script() -> Arc<Script> {
    let see = |id: &str| calls([call(id, "see", &json!({"x": 1}))]);
    Script::new([calls([call("c1", "look", &json!({"x": 1}))]), see("c2"), see("c3"), says("Done.")])
}

/// The names that each request to the model offered.
fn offered(model: &Script) -> Vec<String> {
    let names = |request: ModelRequest| {
        request.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>().join(" ")
    };
    model.asked().into_iter().map(names).collect()
}

const REFUSED: &str = "Error there is no tool `see` to be called now; there are: look";

/// Withholds `see` in the first step and offers it again in the second. Both hold from the next step on.
struct Withholds(Arc<dyn Services>);

impl Layer for Withholds {
    fn on_reasoning(
        self: Arc<Self>,
        request: ReasoningRequest,
        mut next: Next<Reasoning>,
        _out: Sink,
    ) -> HookFuture<ReasoningResponse> {
        Box::pin(async move {
            match request.step {
                1 => self.0.withhold("see")?,
                2 => self.0.offer("see")?,
                _ => {}
            }
            Ok(next.run(request).await?)
        })
    }
}

#[tokio::test]
async fn a_tool_that_is_withheld_for_a_step_is_refused_there_and_runs_later() {
    let model = script();
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .tool(Arc::new(Double::echo("see")))
        .middleware(opened("withholds", &[HookKind::Reasoning], |reply| {
            Withholds(Arc::clone(&reply.services))
        }))
        .build()
        .await
        .unwrap();
    let (_, session) = turn(&agent, "Go").await;
    assert_eq!(offered(&model), ["look see", "look", "look see", "look see"]);
    let results: Vec<String> =
        session.messages.iter().map(line).filter(|it| it.starts_with("tool")).collect();
    assert_eq!(
        results,
        ["tool: c1 Success look 1", &format!("tool: c2 {REFUSED}"), "tool: c3 Success see 1"]
    );
}

/// Takes `see` out of the requests of the second step, where the model is asked.
struct Strips(Mutex<u32>);

impl Layer for Strips {
    fn on_model_call(
        self: Arc<Self>,
        mut request: ModelRequest,
        mut next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        let step = {
            let mut step = self.0.lock().unwrap();
            *step += 1;
            *step
        };
        if step == 2 {
            let kept = request.tools.iter().filter(|tool| tool.name != "see").cloned().collect();
            request.edit().tools = Arc::new(kept);
        }
        Box::pin(async move { Ok(next.run(request).await?) })
    }
}

#[tokio::test]
async fn a_tool_that_a_layer_took_out_of_a_request_is_refused() {
    let model = script();
    let layer = entry("strips", &[HookKind::ModelCall], Strips(Mutex::new(0)));
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .tool(Arc::new(Double::echo("see")))
        .middleware(layer)
        .build()
        .await
        .unwrap();
    let (_, session) = turn(&agent, "Go").await;
    let texts: Vec<String> = session.messages.iter().map(line).collect();
    assert_eq!(texts[4], format!("tool: c2 {REFUSED}"));
    assert_eq!(texts[6], "tool: c3 Success see 1");
}

/// Edits each request to the model.
struct Edits(fn(&mut ModelRequestData));

impl Layer for Edits {
    fn on_model_call(
        self: Arc<Self>,
        mut request: ModelRequest,
        mut next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        (self.0)(request.edit());
        Box::pin(async move { Ok(next.run(request).await?) })
    }
}

#[tokio::test]
async fn an_offer_that_no_provider_takes_reaches_none() {
    let edits: [fn(&mut ModelRequestData); 3] = [
        |data| {
            let twice = data.tools.iter().chain(data.tools.iter()).cloned().collect();
            data.tools = Arc::new(twice);
        },
        |data| {
            let nameless =
                data.tools.iter().cloned().map(|tool| ToolDefinition { name: String::new(), ..tool });
            data.tools = Arc::new(nameless.collect());
        },
        |data| data.tool_choice = ToolChoice::Named("see".to_owned()),
    ];
    let mut errors = Vec::new();
    for edit in edits {
        let model = Script::new([]);
        let layer = entry("edits", &[HookKind::ModelCall], Edits(edit));
        let agent = agent(&model).tool(Arc::new(Double::echo("look"))).middleware(layer);
        let (told, _) = turn(&agent.build().await.unwrap(), "Go").await;
        errors.push(told.result.response.error.clone().unwrap().message);
        assert!(model.asked().is_empty());
    }
    insta::assert_snapshot!(errors.join("\n"), @"
    tool `look` is offered twice
    a tool without a name is offered
    the tool choice names `see`, which is not offered
    ");
}

/// Asks twice at once, the second time without tools, and answers with the first or the second.
struct Hedges {
    first: bool,
}

impl Layer for Hedges {
    fn on_model_call(
        self: Arc<Self>,
        request: ModelRequest,
        mut next: Next<ModelCall>,
        _out: Sink,
    ) -> HookFuture<ModelResponse> {
        Box::pin(async move {
            let mut bare = request.clone();
            bare.edit().tools = Arc::default();
            let mut first = next.start(request).await?;
            first.next(EventKinds::MODEL_CALL).await?;
            let mut second = next.start(bare).await?;
            let (first, second) = (first.finish().await?, second.finish().await?);
            Ok(if self.first { first } else { second })
        })
    }
}

#[tokio::test]
async fn of_two_model_calls_at_once_the_one_that_answers_says_what_was_offered() {
    for (first, result) in
        [(true, "Success look 1"), (false, "Error there is no tool `look` to be called now; there are: none")]
    {
        let look = || calls([call("c1", "look", &json!({"x": 1}))]);
        let model = Script::new([look(), look(), says("Done."), says("Done.")]);
        let layer = entry("hedges", &[HookKind::ModelCall], Hedges { first });
        let agent = agent(&model).tool(Arc::new(Double::echo("look"))).middleware(layer);
        let (_, session) = turn(&agent.build().await.unwrap(), "Go").await;
        assert_eq!(line(&session.messages[2]), format!("tool: c1 {result}"));
    }
}

/// Someone whose tools change when one of them says so.
#[derive(Clone, Default)]
struct Changing(Arc<Mutex<ToolList>>);

impl Changing {
    fn set(&self, tools: Vec<Double>) {
        let tools = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
        *self.0.lock().unwrap() = Arc::new(tools);
    }
}

impl ToolProvider for Changing {
    fn current(&self) -> BoxFuture<'_, ToolList> {
        Box::pin(async { Arc::clone(&self.0.lock().unwrap()) })
    }
}

#[tokio::test]
async fn a_providers_tools_come_and_go_between_steps() {
    let provider = Changing::default();
    let change = {
        let provider = provider.clone();
        Double::new("look", move |_, _| {
            provider.set(vec![Double::echo("see")]);
            async { Ok(ToolResponse::text_answer(ToolState::Success, "things have changed")) }
        })
    };
    provider.set(vec![change]);
    let model = Script::new([
        calls([call("c1", "look", &json!({"x": 1}))]),
        calls([call("c2", "see", &json!({"x": 2})), call("c3", "look", &json!({"x": 3}))]),
        says("Done."),
    ]);
    let agent =
        agent(&model).tools_of(ToolOwner::Mcp("far".to_owned()), Arc::new(provider)).build().await.unwrap();
    let (_, session) = turn(&agent, "Go").await;
    assert_eq!(offered(&model), ["look", "see", "see"]);
    let texts: Vec<String> = session.messages.iter().map(line).collect();
    assert_eq!(
        texts[4..6],
        ["tool: c2 Success see 2", "tool: c3 Error there is no tool `look` to be called now; there are: see"]
    );
}
