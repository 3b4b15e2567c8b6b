//! Layers around tool calls: they rewrite a call, swallow its error, or run a tool of their own.

use std::sync::Arc;

use cepa::chain::{Acting, ChainEntry, HookFuture, HookKind, HookSet, Layer, Native, Next, Sink};
use cepa::message::{Block, ResultPart, ToolState};
use cepa::request::{ToolRequest, ToolResponse};
use cepa::tool::Tool as _;
use serde_json::json;

use crate::rig::{Double, Script, agent, ask_before, call, calls, entry, says, transcript, turn};

/// Changes the arguments of each tool call.
struct Rewrite(&'static str);

impl Layer for Rewrite {
    fn on_acting(
        self: Arc<Self>,
        mut request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            self.0.clone_into(&mut request.edit().call.arguments);
            Ok(next.run(request).await?)
        })
    }
}

async fn rewritten(arguments: &'static str) -> String {
    let model = Script::new([calls([call("c1", "write", &json!({"x": 1}))]), says("Done.")]);
    let mut rules = ask_before(&["write(x=2)"]);
    rules.deny = vec!["write(x=13)".parse().unwrap()];
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("write")))
        .permissions(rules)
        .middleware(entry("rewrite", &[HookKind::Acting], Rewrite(arguments)))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Write").await;
    transcript(&told, &session)
}

#[tokio::test]
async fn a_rewritten_call_is_shown_as_it_ran() {
    insta::assert_snapshot!(rewritten("{\"x\": 5}").await);
}

#[tokio::test]
async fn a_rewritten_call_is_checked_again() {
    insta::assert_snapshot!(rewritten("{\"y\": 5}").await);
}

#[tokio::test]
async fn a_call_rewritten_into_a_denied_one_is_denied() {
    insta::assert_snapshot!(rewritten("{\"x\": 13}").await);
}

#[tokio::test]
async fn a_call_rewritten_into_one_that_needs_a_person_parks() {
    insta::assert_snapshot!(rewritten("{\"x\": 2}").await);
}

/// Swallows every error of a tool.
struct Swallow;

impl Layer for Swallow {
    fn on_acting(
        self: Arc<Self>,
        request: ToolRequest,
        mut next: Next<Acting>,
        _out: Sink,
    ) -> HookFuture<ToolResponse> {
        Box::pin(async move {
            let _ = next.run(request).await;
            Ok(ToolResponse::text_answer(ToolState::Success, "all is well"))
        })
    }
}

#[tokio::test]
async fn a_layers_own_result_replaces_the_streamed_one() {
    let model = Script::new([calls([call("c1", "look", &json!({"x": 1}))]), says("Good.")]);
    let agent = agent(&model)
        .tool(Arc::new(Double::echo("look")))
        .middleware(entry("swallow", &[HookKind::Acting], Swallow))
        .build()
        .await
        .unwrap();
    let (told, session) = turn(&agent, "Look").await;
    insta::assert_snapshot!(transcript(&told, &session));
}

/// A middleware with a tool.
struct Clock;

impl Layer for Clock {
    fn call_tool(self: Arc<Self>, request: ToolRequest, _out: Sink) -> HookFuture<ToolResponse> {
        let text = format!("it is {}", request.call.arguments);
        Box::pin(async move { Ok(ToolResponse::text_answer(ToolState::Success, text)) })
    }
}

#[tokio::test]
async fn a_layers_tool_runs_in_its_layer() {
    let definition = Double::echo("clock");
    let tools = vec![definition.definition().clone()];
    let native = Native::new("time", HookSet::EMPTY.with(HookKind::ToolSource), Clock).with_tools(tools);
    let model = Script::new([calls([call("c1", "clock", &json!({"x": 1}))]), says("Late.")]);
    let entry = ChainEntry::new(native);
    let clash = agent(&model).tool(Arc::new(Double::echo("clock"))).middleware(entry.clone()).build().await;
    let clash = clash.unwrap_err().to_string();
    assert!(clash.contains("embedding program") && clash.contains("middleware `time`"), "{clash}");
    let agent = agent(&model).middleware(entry).build().await.unwrap();
    let (told, session) = turn(&agent, "Time?").await;
    let result = session.messages[2].tool_results().next().unwrap();
    assert_eq!(result.content, [ResultPart::text("it is {\"x\":1}")]);
    assert!(
        told.result.layers.iter().any(|(layer, hook, line)| {
            layer == "time" && *hook == HookKind::ToolSource && line.calls == 1
        })
    );
    assert!(matches!(session.messages[3].content[0], Block::Text { .. }));
}
